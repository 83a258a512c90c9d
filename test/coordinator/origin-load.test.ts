import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { NO_SERVER_LOAD, originLoad, serverLoadAfter } from '../../src/coordinator/origin-load.ts'
import { CLASS, type Counts, feedbackOf, routesFeedback, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

const served = (count: number, ms: number) => ({
  ...{ latency: histogramOf(new Array(count).fill(ms)), latencyUs: count * ms * 1000 },
})

describe('what is known of the origin’s servers (Cataclysm §3.5)', () => {
  it('is their requests, their mean response time and for whom they had no place, over all classes', ({
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
    const books = serverLoadAfter(NO_SERVER_LOAD, routes)
    expect(books).toEqual({ inFlight: 20, responseMs: 250, drop: 0.05 })
    const after = serverLoadAfter(books, routes)
    expect(after).toMatchObject({ inFlight: 30, responseMs: 250 })
    expect(after.drop).toBeCloseTo(0.09)
  })

  it('is forgotten where nothing is served: a queue that shut all out ends within seconds', ({
    expect,
  }) => {
    let books = { inFlight: 8, responseMs: 8000 as number | null, drop: 0.5 }
    books = serverLoadAfter(books, {})
    expect(books).toEqual({ inFlight: 4, responseMs: 4000, drop: 0.5 })
    for (let tick = 0; tick < 4; tick++) books = serverLoadAfter(books, {})
    expect(originLoad(books, 16.5, 180).queueingMs).toBeLessThan(250)
  })

  it('is how many there are, by the utilisation law: 180/s of 16.5 ms are 2.97', ({ expect }) => {
    expect(originLoad(NO_SERVER_LOAD, 16.5, 180).servers).toBeCloseTo(2.97)
    expect(originLoad(NO_SERVER_LOAD, 16.5, null)).toMatchObject({ servers: null, queueingMs: 0 })
  })

  it('is a queue, where responses take longer than sharing explains', ({ expect }) => {
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

  it('has the servers, and how long the lesser class is held', ({ expect }) => {
    const { plan } = planWith('batch')
    expect(plan!.load!.servers).toBeCloseTo(1.2)
    expect(plan!.load!.serviceMs).toBeCloseTo(20)
    expect(plan!.load!.inFlight).toBeGreaterThan(5)
    expect(plan!.routes.api!.classes.gold!.delayMs).toBeUndefined()
    expect(plan!.routes.api!.classes.default!.delayMs).toBeGreaterThan(10)
  })

  it('holds nobody where no route polices by batches', ({ expect }) => {
    const { plan } = planWith('threshold')
    expect(plan!.routes.api!.classes.default!.delayMs).toBeUndefined()
  })

  it('is the same after a restart, and starts anew from a state stored without it', ({
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
