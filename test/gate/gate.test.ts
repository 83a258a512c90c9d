import { describe, it } from 'vitest'
import { Gate } from '../../src/gate/gate.ts'
import { background, FakePort, FakeRuntime, refusing } from '../support/fakes.ts'
import { countersOf, gateOf, sessionOf, setCookieOf } from '../support/gates.ts'
import {
  type Asked,
  cookieOf,
  type Planned,
  routesOf,
  SECRET,
  viewOf,
} from '../support/requests.ts'

const CLASSES = [{ name: 'buyers', value: 10, match: { path: '/checkout/*' } }]
const REFUSE_ALL: Planned = {
  drawLimit: 0,
  classes: { buyers: { probability: 0 }, default: { probability: 0 } },
}

/** A gate for one route, with this plan in force. */
async function gateWith(
  keys: object = {},
  plan: Planned = { classes: { buyers: {}, default: {} } },
) {
  const given = await gateOf({ classes: CLASSES, ...keys }, plan)
  const { route, runtime, visit } = given
  const letIn = (url = '/'): string => sessionOf(visit(url), runtime.now())
  const counted = (name = 'default') =>
    countersOf(
      route,
      route.route.classes.findIndex((one) => one.name === name),
    )
  const ages = () => route.origin.countersOf('shop').drain().ages
  return { ...given, letIn, counted, ages }
}

const withCookie = (Cookie: string): Asked => ({ headers: { Cookie } })

describe('a request without a session', () => {
  it('is offered in its class, and counted as admitted or not', async ({ expect }) => {
    const plan = { classes: { buyers: {}, default: { probability: 0 } } }
    const { visit, counted } = await gateWith({}, plan)
    expect(visit('/checkout/pay').verdict).toEqual({ kind: 'admit', reason: 'share' })
    expect(visit('/').verdict).toEqual({ kind: 'refuse', reason: 'share' })
    expect(counted('buyers')).toMatchObject({ offered: 1, admitted: 1 })
    expect(counted()).toMatchObject({ offered: 1, admitted: 0 })
  })

  it('is counted as guaranteed if it is within the guarantee', async ({ expect }) => {
    const classes = { default: { guaranteed: 5, conforming: 1, probability: 0 } }
    const { visit, counted } = await gateWith({}, { drawLimit: 0, classes })
    expect(visit('/').verdict.reason).toBe('guaranteed')
    expect(counted()).toMatchObject({ offered: 1, admitted: 1, guaranteed: 1 })
  })

  it('begins a session of age 0', async ({ expect }) => {
    const { visit, ages } = await gateWith()
    visit('/').begin(0)
    expect(ages()).toEqual([0, 1])
  })
})

describe('an admitted session', () => {
  it('passes in every class of its route, under any plan', async ({ expect }) => {
    const { letIn } = await gateWith()
    const { visit, counted } = await gateWith({}, REFUSE_ALL)
    for (const path of ['/', '/checkout/pay'])
      expect(visit(path, withCookie(letIn())).verdict.reason).toBe('session')
    expect(counted()).toMatchObject({ offered: 0, admitted: 0 })
  })

  it('passes while the coordinator cannot be reached and the rule is closed', async ({
    expect,
  }) => {
    const { letIn, route, port, runtime, visit } = await gateWith({ failure: 'closed' })
    const cookie = letIn()
    port.answer = refusing
    for (let i = 0; i < 50; i++) {
      route.reporter.touch(background, runtime.now())
      await runtime.advance(100)
    }
    expect(visit('/').verdict.reason).toBe('closed')
    expect(visit('/', withCookie(cookie)).verdict.reason).toBe('session')
  })

  it('counts its age with every request', async ({ expect }) => {
    const { letIn, visit, runtime, ages } = await gateWith()
    const cookie = letIn()
    await runtime.advance(60_000)
    ages()
    visit('/', withCookie(cookie)).begin(runtime.now())
    expect(ages()).toEqual([32, 1])
  })

  it('gets a new cookie after an eighth of its idle time, not before', async ({ expect }) => {
    const { letIn, visit, runtime } = await gateWith({ session: { idleMs: 80_000 } })
    const asked = withCookie(letIn())
    await runtime.advance(9_999)
    expect(setCookieOf(visit('/', asked), runtime.now())).toBeNull()
    await runtime.advance(1)
    expect(setCookieOf(visit('/', asked), runtime.now())).toContain('tidegate-shop=')
  })
})

describe('a session cookie', () => {
  it('has a different random id for each session, even in the same millisecond', async ({
    expect,
  }) => {
    const { letIn } = await gateWith()
    const cookies = Array.from({ length: 100 }, () => letIn())
    expect(new Set(cookies).size).toBe(100)
  })
})

describe('a refused visitor', () => {
  it('gets a retry cookie, is refused without a draw before its time, and draws after it', async ({
    expect,
  }) => {
    const { visit, counted, runtime } = await gateWith({}, REFUSE_ALL)
    const refusal = visit('/').refusal(runtime.now())
    expect(refusal.headers.get('Retry-After')).toBe('10')
    const asked = withCookie(cookieOf(refusal.headers.get('Set-Cookie')!))
    await runtime.advance(4_000)
    const early = visit('/', asked)
    expect(early.verdict).toEqual({ kind: 'refuse', reason: 'early' })
    const { headers } = early.refusal(runtime.now())
    expect(headers.get('Retry-After')).toBe('6')
    expect(headers.get('Set-Cookie')).toBeNull()
    // The draw was reported meanwhile.
    expect(counted()).toMatchObject({ offered: 0, early: 1 })
    await runtime.advance(6_000)
    expect(visit('/', asked).verdict.reason).toBe('share')
    expect(counted()).toMatchObject({ offered: 1, early: 1 })
  })

  it('gets an answer with the retry time', async ({ expect }) => {
    const { visit, runtime } = await gateWith({ verdictHeader: true }, REFUSE_ALL)
    const refused = visit('/')
    expect(refused.isRefused).toBe(true)
    const response = refused.refusal(runtime.now())
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('10')
    expect(response.headers.get('Set-Cookie')).toMatch(/^__Host-tidegate-shop-wait=/)
    expect(response.headers.get('Tidegate-Verdict')).toMatch(/^refuse; reason=share;/)
  })
})

describe('requests without a decision', () => {
  it('pass uncounted: on a bypass, and in mode off', async ({ expect }) => {
    const bypass = await gateWith({ bypass: [{ path: '/healthz' }] }, REFUSE_ALL)
    expect(bypass.visit('/healthz').verdict.reason).toBe('bypass')
    expect(bypass.counted().offered).toBe(0)
    expect(bypass.visit('/').verdict.kind).toBe('refuse')
    const off = await gateWith({ mode: 'off' }, REFUSE_ALL)
    const visit = off.visit('/')
    expect(visit.verdict.reason).toBe('off')
    visit.begin(0)
    expect(setCookieOf(visit, 0)).toBeNull()
    expect(off.counted()).toMatchObject({ offered: 0, requests: 0 })
  })
})

describe('the mode "observe"', () => {
  it('decides and counts, and admits everything', async ({ expect }) => {
    const { visit, counted } = await gateWith({ mode: 'observe' }, REFUSE_ALL)
    const observed = visit('/')
    expect(observed.verdict).toEqual({ kind: 'refuse', reason: 'share' })
    expect(observed.isRefused).toBe(false)
    expect(counted()).toMatchObject({ offered: 1, admitted: 1, wouldRefuse: 1 })
  })
})

describe('the granularity "request"', () => {
  it('sets no cookie and has no sessions', async ({ expect }) => {
    const { letIn } = await gateWith()
    const { visit, runtime, counted, ages } = await gateWith({ granularity: 'request' })
    const passing = visit('/', withCookie(letIn()))
    expect(passing.verdict.reason).toBe('share')
    expect(counted().offered).toBe(1)
    expect(setCookieOf(passing, runtime.now())).toBeNull()
    expect(ages()).toEqual([])
  })
})

describe('an answer that passes the gate', () => {
  it('is unchanged if there is nothing to add', async ({ expect }) => {
    const { visit, runtime } = await gateWith({ granularity: 'request' })
    const response = new Response('body')
    expect(visit('/').withGateHeaders(response, runtime.now())).toBe(response)
  })

  it('is private with a cookie, and keeps the origin’s cookies and status', async ({ expect }) => {
    const { visit, runtime } = await gateWith({ verdictHeader: true })
    const headers = { 'Cache-Control': 'public, max-age=60', 'Set-Cookie': 'theirs=1' }
    const answer = visit('/').withGateHeaders(
      new Response('body', { status: 201, headers }),
      runtime.now(),
    )
    expect(answer.status).toBe(201)
    expect(answer.headers.get('Cache-Control')).toBe('private, max-age=60')
    const [theirs, ours] = answer.headers.getSetCookie()
    expect(theirs).toBe('theirs=1')
    expect(ours).toMatch(/^__Host-tidegate-shop=/)
    expect(answer.headers.get('Tidegate-Verdict')).toMatch(/^admit; reason=share;/)
    expect(await answer.text()).toBe('body')
  })
})

describe('a request in flight', () => {
  it('is settled once: answered, failed or abandoned', async ({ expect }) => {
    const { visit, runtime, counted } = await gateWith()
    const nowMs = runtime.now()
    const [answered, failed, gone] = [visit('/'), visit('/'), visit('/')]
    for (const one of [answered, failed, gone]) one.begin(nowMs)
    expect(counted().inFlight).toBe(3)
    answered.answered(new Response('body'), nowMs + 5)
    expect(failed.unanswered('too-slow', nowMs).status).toBe(504)
    gone.unanswered('client-gone', nowMs)
    gone.settle('served')
    expect(counted().drain()).toMatchObject({ served: 1, failed: 1, abandoned: 1, inFlight: 0 })
  })
})

describe('routes to several origins', () => {
  it('have one state per origin, also if several routes share an origin', async ({ expect }) => {
    const asked: string[] = []
    const gate = new Gate(
      {
        routes: routesOf(
          { name: 'a', match: '/a/*' },
          { name: 'b', match: '/b/*' },
          { name: 'c', match: '/c/*', origin: 'https://other.example.com' },
        ),
      },
      {
        secrets: { current: SECRET, previous: null },
        portFor: (origin) => {
          asked.push(origin)
          return new FakePort()
        },
        cache: null,
        runtime: new FakeRuntime(),
        sender: 'isolate 1',
        ipOf: () => null,
      },
    )
    const stateOf = (path: string) => gate.enter(viewOf(path).request)!.gate.origin
    expect(asked).toEqual(['https://origin.example.com', 'https://other.example.com'])
    expect(stateOf('/a/1')).toBe(stateOf('/b/1'))
    expect(stateOf('/a/1')).not.toBe(stateOf('/c/1'))
    expect(gate.enter(viewOf('/d').request)).toBeNull()
  })
})
