import fc from 'fast-check'
import { describe, it } from 'vitest'
import { readLogLine } from '../../cli/report/log-line.ts'
import { LogImport } from '../../src/coordinator/capacity/import-log.ts'
import { commandsIn } from '../../src/gate/origin-answer.ts'
import { loadReportOf } from '../../src/measure/load-report.ts'
import { serverUseOf, timingsOf } from '../../src/measure/server-timing.ts'
import { keepPrivate } from '../../src/origin/forwarded-headers.ts'
import { anyJson, fuzz, SLOWEST_MS, textOf } from '../support/fuzz.ts'

const isAmount = (value: number): boolean => value >= 0 && value < Number.POSITIVE_INFINITY

const NUMBERS = ['0', '1', '.5', '12.5', '-1', '1e308', '1e400', 'NaN', 'Infinity', '0x10']

describe('Server-Timing', () => {
  it('gives finite times of at least 0, or nothing', async ({ expect }) => {
    const header = textOf(
      ...['cpu', 'db', 'app', ';dur=', ';desc=', '"', '\\', ',', ';', '=', ' ', '__proto__'],
      ...NUMBERS,
    )
    await fuzz(
      'server-timing',
      header,
      (text) => {
        for (const { ms } of timingsOf(text)) expect(isAmount(ms)).toBe(true)
        const { cpuMs, dataMs } = serverUseOf(text)
        expect(cpuMs === null || isAmount(cpuMs), text).toBe(true)
        expect(isAmount(dataMs), text).toBe(true)
      },
      // Each is finite, and their sum is not.
      ['cpu;dur=1e308,cpu;dur=1e308,db;dur=1e308,db;dur=1e308'],
    )
  })
})

describe('endpoint-load-metrics', () => {
  it('gives finite loads under names that are texts, or nothing', async ({ expect }) => {
    const header = fc.oneof(
      textOf(
        ...['TEXT ', 'JSON ', 'cpu_utilization', 'rps_fractional', 'named_metrics.', 'constructor'],
        ...['=', ',', '{', '}', '"', ':', ' ', ...NUMBERS],
      ),
      anyJson.map((value) => `JSON ${JSON.stringify(value)}`),
    )
    await fuzz(
      'load-report',
      header,
      (text) => {
        const { utilisations, requestsPerSecond } = loadReportOf(text)
        expect(isAmount(requestsPerSecond)).toBe(true)
        expect(utilisations.size).toBeLessThanOrEqual(50)
        for (const [name, value] of utilisations) {
          expect(typeof name).toBe('string')
          expect(isAmount(value)).toBe(true)
        }
      },
      // A name that every object inherits was looked up in one.
      ['TEXT constructor=0.5', 'JSON {"constructor":0.5}'],
    )
  })
})

describe('the commands of an origin', () => {
  it('are a whole number and a word, or nothing', async ({ expect }) => {
    const value = textOf('revoke', 'REVOKE', ' ', ',', '0', '-', '1e3', ...NUMBERS, '9'.repeat(16))
    await fuzz('origin-commands', value, (text) => {
      const given = text.replace(/[^\x20-\x7e]/g, '')
      const headers = new Headers({ 'Tidegate-Stock': given, 'Tidegate-Session': given })
      const { stock, isRevoked } = commandsIn(headers)!
      expect(stock === null || Number.isSafeInteger(stock)).toBe(true)
      expect(isRevoked).toBe(given.trim().toLowerCase() === 'revoke')
    })
  })
})

describe('Cache-Control of an answer that sets a cookie', () => {
  it('is private, and lets no shared cache store it', async ({ expect }) => {
    const value = textOf(
      ...[
        'public',
        'PUBLIC',
        's-maxage=9',
        'S-MaxAge = 9',
        'private',
        'private="a, b"',
        'max-age=5',
      ],
      ...[',', ', ', ' ', '=', '"', '\t', 'no-cache'],
    )
    await fuzz('cache-control', value, (text) => {
      const headers = new Headers({ 'Cache-Control': text.replace(/[^\t\x20-\x7e]/g, '') })
      keepPrivate(headers)
      const [first, ...others] = headers.get('Cache-Control')!.split(', ')
      expect(first).toBe('private')
      const whole = others.join(', ')
      if (!whole.includes('"')) expect(whole).not.toMatch(/(^|,)\s*(public|s-maxage)\b/i)
    })
  })
})

const LINE_PIECES = [
  ...[
    '10.0.0.1',
    ' - - ',
    '[10/Oct/2026:13:55:36 +0200]',
    '[',
    ']',
    '"',
    '\\"',
    '"GET / HTTP/1.1"',
  ],
  ...[' 200 12', ' 200 -', ' "-" "browser"', ' ', 'rt=0.5', '10/Xyz/2026:00:00:00 +0000', '\\'],
  ...['10.0.0.1 - - [99/Feb/9999:99:99:99 -9999] "x" 200 1', ...NUMBERS],
]
const LONG_LINES = ['[', '[x', '"', '\\', ' ', '0', 'a b [c] "', '[x] "'].map(
  (piece) => `10.0.0.1 - - ${piece.repeat(Math.ceil(65_536 / piece.length))}`,
)

describe('a line of an access log', () => {
  it('gives a finite time and duration, or nothing, soon', async ({ expect }) => {
    const keys = ['time', 'ts', 'status', 'ip', 'user_agent', 'duration', 'latency_ms']
    const line = fc.oneof(
      textOf(...LINE_PIECES),
      fc
        .array(fc.tuple(fc.constantFrom(...keys), fc.oneof(anyJson, fc.constantFrom(200, 1.8e9))))
        .map((entries) => JSON.stringify(Object.fromEntries(entries))),
    )
    await fuzz(
      'access-log',
      line,
      (text) => {
        const startedMs = performance.now()
        const read = readLogLine(text)
        expect(performance.now() - startedMs).toBeLessThan(SLOWEST_MS)
        if (read === null) return
        expect(Number.isFinite(read.atMs), text).toBe(true)
        expect(read.durationMs === null || isAmount(read.durationMs), text).toBe(true)
      },
      [
        ...LONG_LINES,
        // Objects that have no text, and numbers beyond the largest.
        '{"ts":1800000000,"status":{"toString":1,"valueOf":1}}',
        '{"ts":1800000000,"status":200,"ip":{"toString":1,"valueOf":1}}',
        '{"ts":1800000000,"status":200,"duration":{"toString":1,"valueOf":1}}',
        '{"ts":1e400,"status":200}',
        '{"ts":1800000000,"status":200,"duration":1e400}',
      ],
    )
  })

  it('is imported with its hour, or skipped', async ({ expect }) => {
    await fuzz(
      'log-import',
      fc.array(textOf(...LINE_PIECES), { maxLength: 3 }),
      (lines) => {
        const log = new LogImport({ unit: 'session', idleMs: 60_000 })
        for (const line of lines) log.add(line)
        const { hours, lines: used, skipped } = log.result()
        expect(used + skipped).toBeLessThanOrEqual(lines.length)
        for (const { hour } of hours) expect(Number.isSafeInteger(hour)).toBe(true)
        if (lines.every((line) => !/(Oct|Feb)\//.test(line))) expect(used).toBe(0)
      },
      // An unknown month was taken for January.
      [['10.0.0.1 - - [10/Xyz/2026:13:55:36 +0200] "GET / HTTP/1.1" 200 12'], LONG_LINES],
    )
  })
})
