import { describe, it } from 'vitest'
import { OriginAdmission } from '../../../src/admission/origin-admission.ts'
import type { Visit } from '../../../src/gate/visit.ts'
import { InFlightSizes } from '../../../src/measure/in-flight-sizes.ts'
import { countersOf, gateOf } from '../../support/gates.ts'
import { type Planned, planOf, routesOf, viewOf } from '../../support/requests.ts'

// Two servers and a target of 1000 ms: ten requests of 100 ms at each.
const LOAD = { servers: 2, serviceMs: 100, inFlight: 0, queueingMs: 0 }
const CLASSES = [
  { name: 'gold', value: 3, match: { path: '/gold' } },
  { name: 'silver', value: 2, match: { path: '/silver' } },
  { name: 'bronze', value: 1 },
]
const PLAN: Planned = {
  ...{ drawLimit: 1000, burst: 250, load: LOAD },
  classes: {
    gold: { rank: 0, probability: 0.9 },
    silver: { rank: 1, delayMs: 50, probability: 0.9 },
    bronze: { rank: 2, delayMs: 100, probability: 0.9 },
  },
}
/** The plan admits every class in full: a shortage can only be a burst. */
const CALM_PLAN: Planned = {
  ...PLAN,
  classes: { gold: { rank: 0 }, silver: { rank: 1 }, bronze: { rank: 2 } },
}

/** A gate with batch policing. Its clock starts at a multiple of all delays, with a full bucket. */
async function policed(keys: object = {}, plan: Planned = PLAN, share = 1) {
  const given = { granularity: 'request', fairness: false, classes: CLASSES, police: 'batch' }
  const { route, runtime } = await gateOf({ ...given, ...keys }, plan, share)
  await runtime.advance(1000)
  const begun: Visit[] = []
  const beginIfAdmitted = (visit: Visit): Visit => {
    if (visit.isRefused) return visit
    visit.begin(runtime.now())
    begun.push(visit)
    return visit
  }
  const ask = (path: string, signal?: AbortSignal): Visit | Promise<Visit> => {
    const view = viewOf(path)
    const request = signal ? new Request(view.request, { signal }) : view.request
    const decided = route.decide({ ...view, request }, runtime.now())
    return decided instanceof Promise ? decided.then(beginIfAdmitted) : beginIfAdmitted(decided)
  }
  /** Asks `count` times at once, and returns the verdicts after `ms`. */
  const askMany = async (path: string, count: number, ms = 0) => {
    const asked = Array.from({ length: count }, () => ask(path))
    await runtime.advance(ms)
    return (await Promise.all(asked)).map(({ verdict }) => `${verdict.kind} ${verdict.reason}`)
  }
  const answer = (): void => {
    for (const visit of begun.splice(0)) visit.answered(new Response('body'), runtime.now())
  }
  return { route, runtime, ask, askMany, answer }
}

const count = (verdicts: readonly string[], verdict: string): number =>
  verdicts.filter((one) => one === verdict).length

describe('batch policing at the gate (Urgaonkar and Shenoy 2005, §3.2)', () => {
  it('admits as many as the servers can answer in time, and refuses the rest', async ({
    expect,
  }) => {
    const { askMany, answer } = await policed()
    const verdicts = await askMany('/gold', 30)
    // 2 × 1000 ms / 100 ms; the middle of a bucket of sizes is at most 10 % off.
    expect(count(verdicts, 'admit batch')).toBeGreaterThanOrEqual(18)
    expect(count(verdicts, 'admit batch')).toBeLessThanOrEqual(22)
    expect(count(verdicts, 'admit batch') + count(verdicts, 'refuse batch')).toBe(30)
    answer()
    expect(await askMany('/gold', 1)).toEqual(['admit batch'])
  })

  it('judges the first class at once, and the others at their processing instants', async ({
    expect,
  }) => {
    const { ask, runtime } = await policed()
    await runtime.advance(10)
    expect(ask('/gold')).not.toBeInstanceOf(Promise)
    const verdicts: string[] = []
    for (const path of ['/bronze', '/silver'])
      void Promise.resolve(ask(path)).then(() => verdicts.push(path))
    await runtime.advance(39)
    expect(verdicts).toEqual([])
    await runtime.advance(1)
    expect(verdicts).toEqual(['/silver'])
    await runtime.advance(50)
    expect(verdicts).toEqual(['/silver', '/bronze'])
  })

  it('prefers gold to silver that came just before', async ({ expect }) => {
    const { ask, askMany, runtime } = await policed()
    const silver = Array.from({ length: 20 }, () => ask('/silver'))
    await runtime.advance(20)
    const gold = await askMany('/gold', 15)
    await runtime.advance(30)
    const verdicts = (await Promise.all(silver)).map(({ verdict }) => verdict.kind)
    expect(count(gold, 'admit batch')).toBe(15)
    expect(count(verdicts, 'admit')).toBeLessThan(6)
  })

  it('refuses with a retry cookie and Retry-After, like every refusal', async ({ expect }) => {
    const { ask, askMany, runtime, route } = await policed()
    await askMany('/gold', 30)
    const waiting = ask('/bronze')
    await runtime.advance(100)
    const visit = await waiting
    expect(visit.verdict.reason).toBe('batch')
    const { headers } = visit.refusal(runtime.now())
    expect(headers.get('Retry-After')).toBe('10')
    expect(headers.get('Set-Cookie')).toContain('tidegate-shop-wait=')
    expect(countersOf(route, 2)).toMatchObject({ offered: 1, admitted: 0 })
  })

  it('keeps to the limit: 5 of 10 that the servers could take', async ({ expect }) => {
    const { askMany } = await policed({}, { ...PLAN, drawLimit: 5, burst: 5 })
    const verdicts = await askMany('/gold', 10)
    expect([count(verdicts, 'admit batch'), count(verdicts, 'refuse share')]).toEqual([5, 5])
  })

  it('tests against the isolate’s share of the servers: a quarter', async ({ expect }) => {
    const { askMany } = await policed({}, PLAN, 0.25)
    const verdicts = await askMany('/gold', 30)
    expect(Math.abs(count(verdicts, 'admit batch') - 5)).toBeLessThanOrEqual(1)
  })

  it('takes the queueing time at the origin into account', async ({ expect }) => {
    const { askMany } = await policed({}, { ...PLAN, load: { ...LOAD, queueingMs: 500 } })
    expect(Math.abs(count(await askMany('/gold', 30), 'admit batch') - 10)).toBeLessThanOrEqual(1)
  })

  it('keeps the shortest target of the routes that share the servers', async ({ expect }) => {
    const { askMany, route, runtime } = await policed()
    const plan = planOf(PLAN)
    const routes = { ...plan.routes, api: { ...plan.routes.shop!, targetMs: 500 } }
    route.origin.admission.follow({ ...plan, routes }, { share: 1 }, runtime.now())
    expect(Math.abs(count(await askMany('/gold', 30), 'admit batch') - 10)).toBeLessThanOrEqual(1)
  })
})

describe('a short queue for bursts (Mathur et al. 2009, Fig. 1)', () => {
  it('admits the rest of a burst as soon as the servers have answered', async ({ expect }) => {
    const { ask, runtime, answer } = await policed({}, CALM_PLAN)
    const asked = Array.from({ length: 30 }, () => Promise.resolve(ask('/gold')))
    const verdicts: string[] = []
    for (const visit of asked) void visit.then(({ verdict }) => verdicts.push(verdict.kind))
    await runtime.advance(60)
    expect(verdicts.length).toBeLessThanOrEqual(22)
    answer()
    await runtime.advance(20)
    expect(count(verdicts, 'admit')).toBe(30)
  })

  it('refuses after a tenth of the target: 100 ms', async ({ expect }) => {
    const { askMany } = await policed({}, CALM_PLAN)
    const verdicts = await askMany('/gold', 30, 100)
    expect(count(verdicts, 'admit batch')).toBeLessThanOrEqual(22)
    expect(count(verdicts, 'admit batch') + count(verdicts, 'refuse batch')).toBe(30)
  })

  it('takes a shortage of over a second for overload, and refuses at once', async ({ expect }) => {
    const { askMany } = await policed({}, CALM_PLAN)
    for (let i = 0; i < 11; i++) await askMany('/gold', 30, 100)
    // Without time to wait, everybody has an answer.
    expect(count(await askMany('/gold', 30), 'refuse batch')).toBe(30)
  })

  it('lets nobody wait while the plan refuses a part of the class', async ({ expect }) => {
    const { askMany } = await policed()
    const verdicts = await askMany('/gold', 30, 0)
    expect(count(verdicts, 'refuse batch')).toBeGreaterThanOrEqual(8)
  })

  it('forgets a client that leaves while it waits', async ({ expect }) => {
    const { ask, askMany, runtime, answer } = await policed({}, CALM_PLAN)
    const burst = askMany('/gold', 22, 250)
    const leaving = new AbortController()
    const left = Promise.resolve(ask('/gold', leaving.signal))
    leaving.abort()
    await runtime.advance(250)
    expect((await left).isRefused).toBe(true)
    expect(count(await burst, 'admit batch')).toBeGreaterThanOrEqual(18)
    answer()
  })
})

describe('a client that leaves while it waits', () => {
  it('leaves its queue, is not counted, and takes no place', async ({ expect }) => {
    const { ask, askMany, runtime, route } = await policed()
    const gone = new AbortController()
    const left = Array.from({ length: 20 }, () => ask('/silver', gone.signal))
    gone.abort()
    const verdicts = await askMany('/silver', 10, 50)
    expect(count(verdicts, 'admit batch')).toBe(10)
    await Promise.all(left)
    await runtime.advance(1000)
    expect(countersOf(route, 1).drain()).toMatchObject({ offered: 10, admitted: 10, requests: 10 })
  })
})

describe('requests that get no batch test', () => {
  it('are those within the guarantee', async ({ expect }) => {
    const classes = { ...PLAN.classes, bronze: { rank: 2, guaranteed: 5, conforming: 1 } }
    const { ask } = await policed({}, { ...PLAN, classes })
    expect(ask('/bronze')).toMatchObject({ verdict: { reason: 'guaranteed' } })
  })

  it('are all if the number of servers is unknown, or if there is no limit', async ({ expect }) => {
    const { load, ...blind } = PLAN
    expect(load).toBeDefined()
    for (const plan of [
      blind,
      { ...PLAN, load: { ...LOAD, servers: null } },
      { ...PLAN, drawLimit: null },
    ]) {
      const { ask } = await policed({}, plan)
      expect(ask('/bronze')).toMatchObject({ verdict: { kind: 'admit', reason: 'share' } })
    }
  })

  it('are all in an isolate with a share too small for a bucket', async ({ expect }) => {
    const { ask } = await policed({}, { ...PLAN, drawLimit: 10 }, 0.1)
    expect(ask('/bronze')).toMatchObject({ verdict: { reason: 'share' } })
  })

  it('are those that come while a thousand wait', async ({ expect }) => {
    const { ask } = await policed()
    for (let i = 0; i < 1000; i++) expect(ask('/bronze')).toBeInstanceOf(Promise)
    expect(ask('/bronze')).toMatchObject({ verdict: { reason: 'share' } })
  })

  it('are those above 1000 requests/s with police: "auto"', async ({ expect }) => {
    const { askMany, answer } = await policed({ police: 'auto' })
    expect(await askMany('/gold', 1)).toEqual(['admit batch'])
    const verdicts = await askMany('/gold', 1100)
    expect(verdicts[500]).toMatch(/ batch$/)
    expect(verdicts.at(-1)).toMatch(/ share$/)
    answer()
  })
})

describe('the mode "observe"', () => {
  it('tests and counts, and no request waits', async ({ expect }) => {
    const { ask, route } = await policed({ mode: 'observe' })
    for (let i = 0; i < 30; i++) expect(ask('/bronze')).not.toBeInstanceOf(Promise)
    const { offered, admitted, wouldRefuse } = countersOf(route, 2)
    expect([offered, admitted]).toEqual([30, 30])
    // The servers could answer about 20 of 30 in time.
    expect(Math.abs(wouldRefuse - 10)).toBeLessThanOrEqual(2)
  })
})

describe('two routes with the same rank', () => {
  it('do not delay the one that is only observed', ({ expect }) => {
    const keys = { police: 'batch', granularity: 'request', fairness: false }
    const routes = routesOf(
      { ...keys, name: 'shop', match: '/a' },
      { ...keys, name: 'seen', match: '/b', mode: 'observe' },
    )
    const admission = new OriginAdmission(
      routes,
      0,
      () => 0.5,
      () => 0,
      new InFlightSizes(),
    )
    const plan = planOf({ ...PLAN, classes: { default: { rank: 1, delayMs: 100 } } })
    const both = { ...plan.routes, seen: plan.routes.shop! }
    admission.follow({ ...plan, routes: both }, { share: 1 }, 0)
    const [shop, seen] = routes
    expect(admission.drawInBatch(shop!, 0, 1010, null, 100)).toMatchObject({
      dueMs: 1100,
      verdict: null,
    })
    expect(admission.drawInBatch(seen!, 0, 1020, null, 100)).toEqual({
      kind: 'admit',
      reason: 'share',
    })
  })
})

describe('a request larger than the bucket', () => {
  it('takes a full bucket, and is not refused always', async ({ expect }) => {
    const plan = { ...PLAN, drawLimit: 10, burst: 3, load: { ...LOAD, serviceMs: 1 } }
    const { ask, route } = await policed({ smallFirst: true }, plan)
    const request = route.origin.open.begin(countersOf(route, 0), 0)
    request.headersReceived(100, true)
    route.origin.costs!.observe('shop', '/gold', request, null)
    request.settle('served')
    // 100 ms is a hundred times the mean; the depth of the bucket is three.
    expect(ask('/gold')).toMatchObject({ verdict: { kind: 'admit', reason: 'batch' } })
    expect(ask('/gold')).toMatchObject({ verdict: { kind: 'refuse', reason: 'share' } })
  })
})

describe('a timer that fires early', () => {
  it('is set again, and the request gets its verdict', async ({ expect }) => {
    const { ask, runtime } = await policed()
    await runtime.advance(10)
    const { sleep } = runtime
    let early = 1
    runtime.sleep = (ms) => sleep(early-- > 0 ? ms - 5 : ms)
    const waiting = ask('/silver')
    await runtime.advance(40)
    expect((await waiting).verdict).toEqual({ kind: 'admit', reason: 'batch' })
  })
})
