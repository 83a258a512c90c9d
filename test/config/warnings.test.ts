import { describe, it } from 'vitest'
import { warningsText } from '../../src/config/warnings/warning.ts'
import { configWarnings } from '../../src/config/warnings/warnings.ts'
import { resolved, route } from '../support/config.ts'

const warnings = (keys: object) => configWarnings(resolved({ routes: [route(keys)] }))
const pathsOf = (keys: object) => warnings(keys).map(({ path }) => path.replace('routes[0].', ''))

describe('a bypass or a guarantee that a client can claim by itself is warned about', () => {
  it.for([
    [
      { bypass: [{ header: { 'User-Agent': 'uptime-probe/*' } }] },
      'bypass[0].header["user-agent"]',
    ],
    [
      { bypass: [{ header: { 'User-Agent': 'a-user-agent-of-many-letters' } }] },
      'bypass[0].header["user-agent"]',
    ],
    [{ bypass: [{ cookie: { staff: true } }] }, 'bypass[0].cookie.staff'],
    [{ bypass: [{ query: { debug: '1' } }] }, 'bypass[0].query.debug'],
    [{ bypass: [{ path: '/admin/*', cookie: { staff: true } }] }, 'bypass[0].cookie.staff'],
    [{ bypass: [{ header: { 'X-Plan': 'gold' } }] }, 'bypass[0].header["x-plan"]'],
    [
      { bypass: [{ header: { 'X-Key': ['a-secret-of-20-letters', 'short'] } }] },
      'bypass[0].header["x-key"]',
    ],
    [
      { classes: [{ name: 'members', guaranteed: 5, match: { cookie: { member: true } } }] },
      'classes[0].match.cookie.member',
    ],
  ] as const)('%j', ([keys, path], { expect }) => {
    expect(pathsOf(keys)).toEqual([path])
  })

  it.for([
    { bypass: [{ path: '/healthz' }] },
    { bypass: [{ method: 'OPTIONS' }] },
    { bypass: [{ ip: '203.0.113.0/24' }] },
    { bypass: [{ ip: '203.0.113.0/24', header: { 'User-Agent': 'probe' } }] },
    { bypass: [{ header: { 'X-Probe-Key': '0123456789abcdef' } }] },
    { bypass: [{ header: { 'X-Key': '0123456789abcdef' }, cookie: { staff: true } }] },
    { classes: [{ name: 'members', value: 10, match: { cookie: { member: true } } }] },
    { classes: [{ name: 'checkout', guaranteed: 5, match: { path: '/checkout/*' } }] },
  ])('not %j', (keys, { expect }) => {
    expect(warnings(keys)).toEqual([])
  })

  it('says what a client gains, and what to write instead', ({ expect }) => {
    expect(warningsText(warnings({ bypass: [{ cookie: { staff: true } }] }))).toBe(`1 warning:
  routes[0].bypass[0].cookie.staff: Any client can send the cookie "staff", and its requests pass without a decision. Match the addresses (ip), or a header with a secret value of at least 16 characters that only your own edge or program sends.`)
  })
})

describe('a value that is valid but surely wrong is warned about', () => {
  it.for([
    [{ session: { idleMs: 1800 } }, 'session.idleMs', 'write 1800000 for 30 min'],
    [{ sla: { targetMs: 2 } }, 'sla.targetMs', 'write 2000 for 2 s'],
    [{ refusal: { retryMinS: 5000, retryMaxS: 15_000 } }, 'refusal.retryMinS', 'write 5 for 5 s'],
    [
      { origin: { url: 'https://a.example', timeoutMs: 30 }, sla: { targetMs: 20 } },
      'origin.timeoutMs',
      'write 30000',
    ],
    [{ sla: { windowMs: 5000 } }, 'sla.windowMs', 'write 5000000'],
    [{ sla: { percentile: 5 } }, 'sla.percentile', 'Write for example 95.'],
    [{ tickMs: 60_000 }, 'tickMs', 'Write 1000'],
    [{ classes: [{ name: 'a', guaranteed: 50_000 }] }, 'classes[0].guaranteed', 'for example 5'],
  ] as const)('%j', ([keys, path, remedy], { expect }) => {
    const [first] = warnings(keys)
    expect(first!.path).toBe(`routes[0].${path}`)
    expect(first!.remedy).toContain(remedy)
  })

  it('finds nothing in the defaults', ({ expect }) => {
    expect(warnings({})).toEqual([])
  })

  it('minds no session times where there are no sessions', ({ expect }) => {
    expect(warnings({ granularity: 'request', session: { idleMs: 1800 } })).toEqual([])
  })
})
