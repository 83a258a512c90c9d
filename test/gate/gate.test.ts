import { describe, it } from 'vitest'
import { Gate, type Judgement } from '../../src/gate/gate.ts'
import { background, FakePort, FakeRuntime, refusing, settle } from '../support/fakes.ts'
import {
  type Asked,
  cookieOf,
  type Planned,
  planOf,
  routesOf,
  SECRET,
  subjectOf,
} from '../support/requests.ts'

const CLASSES = [{ name: 'buyers', value: 10, match: { path: '/checkout/*' } }]
const NOBODY: Planned = {
  drawLimit: 0,
  classes: { buyers: { probability: 0 }, default: { probability: 0 } },
}

/** A gate for one route that has taken this plan into force. */
async function gateOf(keys: object = {}, plan: Planned = { classes: { buyers: {}, default: {} } }) {
  const runtime = new FakeRuntime()
  const port = new FakePort()
  port.answer = async () => ({ plan: planOf(plan), share: 1 })
  const gate = new Gate(
    { routes: routesOf({ classes: CLASSES, ...keys }) },
    {
      secrets: { current: SECRET, previous: null },
      portFor: () => port,
      cache: null,
      runtime,
      sender: 'isolate 1',
      ipOf: () => '203.0.113.9',
    },
  )
  const enter = (url: string, asked?: Asked) => gate.enter(subjectOf(url, asked).request)!
  const route = enter('/').gate
  route.link.touch(background, runtime.now())
  await settle()
  const judge = (url: string, asked?: Asked): Judgement =>
    route.judge(enter(url, asked).subject, runtime.now())
  /** The cookie that a visitor has after being let in. */
  const letIn = (url = '/'): string => {
    return cookieOf(route.cookieFor(enter(url).subject.url, judge(url), runtime.now())!)
  }
  const counted = (name = 'default') => {
    const index = route.route.classes.findIndex((one) => one.name === name)
    return route.link.tallies.get('shop')!.classes[index]!
  }
  return { gate, route, runtime, port, judge, letIn, counted }
}

const withCookie = (Cookie: string): Asked => ({ headers: { Cookie } })

describe('a request without a session', () => {
  it('is offered in its class, and counted as admitted or not', async ({ expect }) => {
    const plan = { classes: { buyers: {}, default: { probability: 0 } } }
    const { judge, counted } = await gateOf({}, plan)
    expect(judge('/checkout/pay').verdict).toEqual({ kind: 'admit', reason: 'share' })
    expect(judge('/').verdict).toEqual({ kind: 'refuse', reason: 'share' })
    expect(counted('buyers')).toMatchObject({ offered: 1, admitted: 1 })
    expect(counted()).toMatchObject({ offered: 1, admitted: 0 })
  })

  it('is counted as guaranteed where it is within the guarantee', async ({ expect }) => {
    const classes = { default: { guaranteed: 5, conforming: 1, probability: 0 } }
    const { judge, counted } = await gateOf({}, { drawLimit: 0, classes })
    expect(judge('/').verdict.reason).toBe('guaranteed')
    expect(counted()).toMatchObject({ offered: 1, admitted: 1, guaranteed: 1 })
  })

  it('begins a session of age 0', async ({ expect }) => {
    const { judge, route } = await gateOf()
    judge('/')
    expect(route.link.tallies.get('shop')!.drain().ages).toEqual([0, 1])
  })
})

describe('an admitted session', () => {
  it('passes in every class of its route, whatever the plan says', async ({ expect }) => {
    const { letIn } = await gateOf()
    const { judge, counted } = await gateOf({}, NOBODY)
    for (const path of ['/', '/checkout/pay'])
      expect(judge(path, withCookie(letIn())).verdict.reason).toBe('session')
    expect(counted()).toMatchObject({ offered: 0, admitted: 0 })
  })

  it('passes while the coordinator cannot be reached and the rule is closed', async ({
    expect,
  }) => {
    const { letIn, route, port, runtime, judge } = await gateOf({ failure: 'closed' })
    const cookie = letIn()
    port.answer = refusing
    for (let i = 0; i < 50; i++) {
      route.link.touch(background, runtime.now())
      await runtime.advance(100)
    }
    expect(judge('/').verdict.reason).toBe('closed')
    expect(judge('/', withCookie(cookie)).verdict.reason).toBe('session')
  })

  it('tells its age with every request', async ({ expect }) => {
    const { letIn, judge, runtime, route } = await gateOf()
    const cookie = letIn()
    await runtime.advance(60_000)
    route.link.tallies.get('shop')!.drain()
    judge('/', withCookie(cookie))
    expect(route.link.tallies.get('shop')!.drain().ages).toEqual([32, 1])
  })

  it('gets a new cookie after an eighth of its idle time, not before', async ({ expect }) => {
    const { letIn, judge, runtime, route } = await gateOf({ session: { idleMs: 80_000 } })
    const asked = withCookie(letIn())
    const { url } = subjectOf('/', asked)
    await runtime.advance(9_999)
    expect(route.cookieFor(url, judge('/', asked), runtime.now())).toBeNull()
    await runtime.advance(1)
    expect(route.cookieFor(url, judge('/', asked), runtime.now())).toContain('tidegate-shop=')
  })
})

describe('a refused visitor', () => {
  it('gets a note, is refused without a draw before its time, and draws after', async ({
    expect,
  }) => {
    const { judge, counted, runtime } = await gateOf({}, NOBODY)
    const refused = judge('/')
    expect(refused.retryAfterS).toBe(10)
    const asked = withCookie(cookieOf(refused.note!))
    await runtime.advance(4_000)
    expect(judge('/', asked)).toMatchObject({
      verdict: { kind: 'refuse', reason: 'early' },
      retryAfterS: 6,
      note: null,
    })
    expect(counted()).toMatchObject({ offered: 1, early: 1 })
    await runtime.advance(6_000)
    expect(judge('/', asked).verdict.reason).toBe('share')
    expect(counted()).toMatchObject({ offered: 2, early: 1 })
  })

  it('gets an answer that says so', async ({ expect }) => {
    const { judge, route } = await gateOf({ verdictHeader: true }, NOBODY)
    const judgement = judge('/')
    expect(route.isRefused(judgement)).toBe(true)
    const response = route.refuse(subjectOf('/').request, judgement)
    expect(response.status).toBe(503)
    expect(response.headers.get('Retry-After')).toBe('10')
    expect(response.headers.get('Set-Cookie')).toMatch(/^tidegate-shop-wait=/)
    expect(response.headers.get('Tidegate-Verdict')).toBe('refuse; reason=share')
  })
})

describe('requests that are not judged', () => {
  it('pass uncounted: on a bypass, and where the gate is off', async ({ expect }) => {
    const bypass = await gateOf({ bypass: [{ path: '/healthz' }] }, NOBODY)
    expect(bypass.judge('/healthz')).toMatchObject({ verdict: { reason: 'bypass' }, tally: null })
    expect(bypass.judge('/').verdict.kind).toBe('refuse')
    const off = await gateOf({ mode: 'off' }, NOBODY)
    expect(off.judge('/')).toMatchObject({ verdict: { reason: 'off' }, tally: null })
    expect(off.route.cookieFor(subjectOf('/').url, off.judge('/'), 0)).toBeNull()
    expect(off.counted().offered).toBe(0)
  })
})

describe('the mode "observe"', () => {
  it('decides and counts, and lets everything through', async ({ expect }) => {
    const { judge, route, counted } = await gateOf({ mode: 'observe' }, NOBODY)
    const judgement = judge('/')
    expect(judgement.verdict).toEqual({ kind: 'refuse', reason: 'share' })
    expect(route.isRefused(judgement)).toBe(false)
    expect(judgement.note).toBeNull()
    expect(counted()).toMatchObject({ offered: 1, admitted: 1, wouldRefuse: 1 })
  })
})

describe('the granularity "request"', () => {
  it('sets no cookie and knows no session', async ({ expect }) => {
    const { letIn } = await gateOf()
    const { judge, route, runtime, counted } = await gateOf({ granularity: 'request' })
    const judgement = judge('/', withCookie(letIn()))
    expect(judgement.verdict.reason).toBe('share')
    expect(counted().offered).toBe(1)
    expect(route.cookieFor(subjectOf('/').url, judgement, runtime.now())).toBeNull()
    expect(route.link.tallies.get('shop')!.drain().ages).toEqual([])
  })
})

describe('an answer that passes the gate', () => {
  it('is left as it is where there is nothing to say', async ({ expect }) => {
    const { route, judge } = await gateOf()
    const response = new Response('body')
    expect(route.dress(response, judge('/'), null, response.headers)).toBe(response)
  })

  it('is private with a cookie, keeps the origin’s own cookies, and its status', async ({
    expect,
  }) => {
    const { route, judge } = await gateOf({ verdictHeader: true })
    const headers = { 'Cache-Control': 'public, max-age=60', 'Set-Cookie': 'theirs=1' }
    const dressed = route.dress(
      new Response('body', { status: 201, headers }),
      judge('/'),
      'ours=1',
    )
    expect(dressed.status).toBe(201)
    expect(dressed.headers.get('Cache-Control')).toBe('private, max-age=60')
    expect(dressed.headers.getSetCookie()).toEqual(['theirs=1', 'ours=1'])
    expect(dressed.headers.get('Tidegate-Verdict')).toBe('admit; reason=share')
    expect(await dressed.text()).toBe('body')
  })
})

describe('routes to several origins', () => {
  it('have a link each, and one between those that share an origin', async ({ expect }) => {
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
    const linkOf = (path: string) => gate.enter(subjectOf(path).request)!.gate.link
    expect(asked).toEqual(['https://origin.example.com', 'https://other.example.com'])
    expect(linkOf('/a/1')).toBe(linkOf('/b/1'))
    expect(linkOf('/a/1')).not.toBe(linkOf('/c/1'))
    expect(gate.enter(subjectOf('/d').request)).toBeNull()
  })
})
