import { describe, it } from 'vitest'
import type { Visit } from '../../src/gate/visit.ts'
import { countersOf, decided, gateOf } from '../support/gates.ts'
import { type Planned, planOf, viewOf } from '../support/requests.ts'

const SMALL_FIRST = { granularity: 'request', smallFirst: true }

/** A gate. `pass` sends a request through it, which the origin answers after `ms`. */
async function passing(keys: object = SMALL_FIRST, plan: Planned = {}) {
  const { route, startMs } = await gateOf(keys, plan)
  let nowMs = startMs
  const pass = (path: string, ms: number, answer = new Response('body')) => {
    const visit = decided(route, viewOf(path), nowMs)
    visit.begin(nowMs)
    nowMs += ms
    visit.answered(answer, nowMs)
  }
  const costOf = (path: string): number =>
    route.origin.costs?.estimateMs('shop', viewOf(path).url.path) ?? 0
  const ask = (path: string): void => void decided(route, viewOf(path), nowMs)
  return { route, pass, costOf, ask }
}

describe('the expected service time of a request (Urgaonkar and Shenoy 2005, §3.5)', () => {
  it('is the response time of its path at low load', async ({ expect }) => {
    const { pass, costOf } = await passing()
    expect(costOf('/report')).toBe(0)
    pass('/report?from=1', 400)
    pass('/items/17', 20)
    expect(costOf('/report?to=2')).toBe(400)
    expect(costOf('/items/4711')).toBe(20)
  })

  it('is the mean of its route if its path is new', async ({ expect }) => {
    const { pass, costOf } = await passing()
    pass('/a', 30)
    expect(costOf('/b')).toBe(30)
  })

  it('is the origin’s mean from the plan in a new isolate', async ({ expect }) => {
    const load = { servers: 3, serviceMs: 50, inFlight: 0, queueingMs: 0 }
    const { route, costOf } = await passing()
    route.origin.costs!.follow({ ...planOf(), load })
    expect(costOf('/a')).toBe(50)
  })

  it('is what the origin reports, cpu and data, whatever the response time was', async ({
    expect,
  }) => {
    const { pass, costOf } = await passing()
    const headers = { 'Server-Timing': 'cpu;dur=12, db;dur=30' }
    pass('/a', 900, new Response('body', { headers }))
    // α is near 1 after one request.
    expect(costOf('/a')).toBeGreaterThan(42)
    expect(costOf('/a')).toBeLessThan(52)
  })

  it('is not learned from failures, cache hits and streams', async ({ expect }) => {
    const { pass, costOf } = await passing()
    pass('/a', 20)
    pass('/a', 900, new Response(null, { status: 503 }))
    pass('/a', 1, new Response('body', { headers: { 'CF-Cache-Status': 'HIT' } }))
    expect(costOf('/a')).toBe(20)
  })

  it('is divided by the load in the plan: 4 other requests at 3 servers', async ({ expect }) => {
    const { route, pass, costOf } = await passing()
    const load = { servers: 3, serviceMs: 0, inFlight: 4, queueingMs: 0 }
    route.origin.costs!.follow({ ...planOf(), load })
    pass('/a', 70)
    expect(costOf('/a')).toBeCloseTo(70 / (1 + 4 / 3))
  })
})

describe('with known service times', () => {
  it('the report has the offered and the sent service time, in whole microseconds', async ({
    expect,
  }) => {
    const { route, pass, ask } = await passing()
    pass('/a', 20)
    pass('/a', 20)
    ask('/a')
    // The first of the three had an unknown service time.
    const { offered, offeredUs, requests, serviceUs } = countersOf(route).drain()
    expect({ offered, offeredUs, requests, serviceUs }).toEqual({
      ...{ offered: 3, offeredUs: 40_000, requests: 2, serviceUs: 20_000 },
    })
    expect(countersOf(route).drain()).toMatchObject({ offeredUs: 0, serviceUs: 0 })
  })

  it('the largest request in flight is known until its answer comes', async ({ expect }) => {
    const { route, pass } = await passing()
    const { inFlight } = route.origin.costs!
    pass('/report', 400)
    const [left, reset] = [0, 0].map((nowMs) => {
      const visit = decided(route, viewOf('/report'), nowMs)
      visit.begin(nowMs)
      return visit
    }) as [Visit, Visit]
    expect(inFlight.size).toBe(2)
    expect(Math.abs(inFlight.longestMs / 400 - 1)).toBeLessThan(0.1)
    left.received(new Response('body'), 400)
    reset.settle('abandoned')
    left.settle('served')
    expect([inFlight.size, inFlight.longestMs]).toEqual([0, 0])
  })
})

describe('service times', () => {
  it('are not learned if nothing depends on them', async ({ expect }) => {
    for (const keys of [{}, { granularity: 'request' }]) {
      const { route, pass, costOf } = await passing(keys)
      expect(route.origin.costs).toBeNull()
      pass('/a', 20)
      expect(costOf('/a')).toBe(0)
      expect(countersOf(route).drain()).toMatchObject({ offeredUs: 0, serviceUs: 0 })
    }
  })

  it('are learned for the order by density, for batches and for small first', async ({
    expect,
  }) => {
    for (const keys of [{ order: 'density' }, { police: 'batch' }, { police: 'auto' }, SMALL_FIRST])
      expect((await passing(keys)).route.origin.costs).not.toBeNull()
  })
})
