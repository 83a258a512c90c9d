import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { NO_SERVER_LOAD, originLoad, serverLoadAfter } from '../../src/coordinator/origin-load.ts'
import { CLASS, type Counts, feedbackOf, routesFeedback, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

const served = (count: number, ms: number) => ({
  ...{ latency: histogramOf(new Array(count).fill(ms)), latencyUs: count * ms * 1000 },
})

describe('the load of the origin’s servers (Urgaonkar and Shenoy 2005, §3.5)', () => {
  it('has requests, mean response time and the part that failed the batch test, over all classes', ({
    expect,
  }) => {
    const routes = routesFeedback({
      shop: {
        gold: { offered: 20, admitted: 20, inFlight: 30, ...served(10, 100) },
        default: {
          ...{ offered: 60, admitted: 20, inFlight: 10, ...served(30, 300) },
          refusals: { batch: 20, share: 20 },
        },
      },
    })
    const load = serverLoadAfter(NO_SERVER_LOAD, routes)
    expect(load).toEqual({ inFlight: 20, responseMs: 250, drop: 0.05 })
    const after = serverLoadAfter(load, routes)
    expect(after).toMatchObject({ inFlight: 30, responseMs: 250 })
    expect(after.drop).toBeCloseTo(0.09)
  })

  it('decays while nothing is served: a queue that refuses everything ends within seconds', ({
    expect,
  }) => {
    let load = { inFlight: 8, responseMs: 8000 as number | null, drop: 0.5 }
    load = serverLoadAfter(load, {})
    expect(load).toEqual({ inFlight: 4, responseMs: 4000, drop: 0.5 })
    for (let tick = 0; tick < 4; tick++) load = serverLoadAfter(load, {})
    expect(originLoad(load, 16.5, 180).queueingMs).toBeLessThan(250)
  })

  it('has the number of servers by the utilisation law: 180/s of 16.5 ms are 2.97', ({
    expect,
  }) => {
    expect(originLoad(NO_SERVER_LOAD, 16.5, 180).servers).toBeCloseTo(2.97)
    expect(originLoad(NO_SERVER_LOAD, 16.5, null)).toMatchObject({ servers: null, queueingMs: 0 })
  })

  it('has queueing time if responses take longer than sharing explains', ({ expect }) => {
    // 90 requests at 2.97 servers: each takes (1 + 30.3) × 16.5 ms = 516.5 ms.
    const queue = (responseMs: number) =>
      originLoad({ inFlight: 90, responseMs, drop: 0 }, 16.5, 180).queueingMs
    expect(queue(500)).toBe(0)
    expect(queue(900)).toBeCloseTo(900 - 516.5)
  })
})

describe('the plan for batch policing', () => {
  const gold = { ...CLASS, name: 'gold', value: 3 }
  const planWith = (police: 'threshold' | 'batch') => {
    const api = { granularity: 'request' as const, police, classes: [gold, CLASS] }
    const learner = { name: 'fixed', options: { limit: 60 } }
    const setup = setupOf({ routes: { api }, learner })
    const counts: Counts = {
      api: {
        gold: { offered: 50, admitted: 50, requests: 50, serviceUs: 1_000_000, inFlight: 6 },
        default: {
          offered: 50,
          admitted: 10,
          requests: 10,
          serviceUs: 200_000,
          ...served(60, 120),
          refusals: { batch: 40 },
        },
      },
    }
    const core = new CoordinatorCore()
    for (let i = 0; i < 5; i++) {
      core.handle(feedbackOf(counts, { seq: i, toMs: i * 1000, setup }), i * 1000)
    }
    return core
  }

  it('has the servers, and the delay of the less important class', ({ expect }) => {
    const { plan } = planWith('batch')
    expect(plan!.load!.servers).toBeCloseTo(1.2)
    expect(plan!.load!.serviceMs).toBeCloseTo(20)
    expect(plan!.load!.inFlight).toBeGreaterThan(5)
    expect(plan!.routes.api!.classes.gold!.delayMs).toBeUndefined()
    expect(plan!.routes.api!.classes.default!.delayMs).toBeGreaterThan(10)
  })

  it('has no delays if no route polices by batches', ({ expect }) => {
    const { plan } = planWith('threshold')
    expect(plan!.routes.api!.classes.default!.delayMs).toBeUndefined()
  })

  it('is the same after a restart, and has no delays after a stored state without load', ({
    expect,
  }) => {
    const { state, plan } = planWith('batch')
    expect(new CoordinatorCore(JSON.parse(JSON.stringify(state))).plan).toEqual(plan)
    const { serverLoad, ...older } = state!
    expect(serverLoad.drop).toBeGreaterThan(0)
    expect(new CoordinatorCore(older).plan!.routes.api!.classes.default!.delayMs).toBeUndefined()
    expect(new CoordinatorCore({ ...state, serverLoad: { drop: 'x' } }).warning).toContain(
      'Ignoring the stored state',
    )
  })
})
