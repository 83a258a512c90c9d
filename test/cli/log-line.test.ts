import fc from 'fast-check'
import { describe, it } from 'vitest'
import { readLogLine } from '../../cli/report/log-line.ts'

const AT = Date.UTC(2026, 10, 17, 17, 2, 11)
const COMMON = '203.0.113.7 - - [17/Nov/2026:18:02:11 +0100] "GET /a?b=c HTTP/1.1" 200 512'
const COMBINED = `${COMMON} "https://a.example/" "Mozilla/5.0 (X; \\"Y\\")"`

describe('a line of an access log', () => {
  it.for([
    ['the Common Log Format', COMMON, '203.0.113.7 ', null],
    ['without a size', COMMON.replace(/512$/, '-'), '203.0.113.7 ', null],
    ['with a user name', COMMON.replace('- - [', '- jane doe ['), '203.0.113.7 ', null],
    ['the Combined Log Format', COMBINED, '203.0.113.7 Mozilla/5.0 (X; \\"Y\\")', null],
    ["nginx's request time", `${COMBINED} 0.250`, '203.0.113.7 Mozilla/5.0 (X; \\"Y\\")', 250],
    [
      'a named time',
      `${COMBINED} rt=0.250 uct="0.001"`,
      '203.0.113.7 Mozilla/5.0 (X; \\"Y\\")',
      250,
    ],
    ["Apache's microseconds", `${COMMON} 250000`, '203.0.113.7 ', 250],
    [
      "nginx's JSON",
      '{"time":"2026-11-17T18:02:11+01:00","remote_addr":"203.0.113.7","status":200,"request_time":0.25,"http_user_agent":"M"}',
      '203.0.113.7 M',
      250,
    ],
    [
      "Cloudflare's Logpush",
      '{"EdgeStartTimestamp":1794934931000000000,"ClientIP":"203.0.113.7","EdgeResponseStatus":200,"OriginResponseDurationMs":250,"ClientRequestUserAgent":"M"}',
      '203.0.113.7 M',
      250,
    ],
    ['a time in seconds', '{"ts":1794934931,"status":"200","ip":"a","duration_ms":250}', 'a ', 250],
  ] as const)('%s', ([, line, client, durationMs], { expect }) => {
    expect(readLogLine(line)).toEqual({ atMs: AT, client, status: 200, durationMs })
  })

  it.for([
    '',
    'hello',
    '{',
    '{"status":200}',
    '{"time":"x","status":200}',
    COMMON.replace('Nov', 'Nuv'),
  ])('is not %j', (line, { expect }) => {
    expect(readLogLine(line)).toBeNull()
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void readLogLine(text)))
    fc.assert(fc.property(fc.jsonValue(), (value) => void readLogLine(JSON.stringify(value))))
  })
})
