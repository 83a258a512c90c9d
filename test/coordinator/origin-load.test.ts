import { describe, it } from 'vitest'
import { delaysOf } from '../../src/coordinator/class-holds.ts'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { NO_SERVER_LOAD, originLoad, serversAfter } from '../../src/coordinator/origin-load.ts'
import { histogramOf } from '../../src/lib/histogram.ts'
import { CLASS, type Counts, feedbackOf, routesFeedback, setupOf } from '../support/feedback.ts'

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
    const books = serversAfter(NO_SERVER_LOAD, routes)
    expect(books).toEqual({ inFlight: 20, responseMs: 250, drop: 0.05 })
    const after = serversAfter(books, routes)
    expect(after).toMatchObject({ inFlight: 30, responseMs: 250 })
    expect(after.drop).toBeCloseTo(0.09)
  })

  it('is forgotten where nothing is served: a queue that shut all out ends within seconds', ({
    expect,
  }) => {
    let books = { inFlight: 8, responseMs: 8000 as number | null, drop: 0.5 }
    books = serversAfter(books, {})
    expect(books).toEqual({ inFlight: 4, responseMs: 4000, drop: 0.5 })
    for (let tick = 0; tick < 4; tick++) books = serversAfter(books, {})
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

describe('how long classes are held (Cataclysm §3.4)', () => {
  const load = { servers: 3, serviceMs: 20, inFlight: 30, queueingMs: 0 }
  const classes = ['gold', 'silver', 'bronze'].map((key, rank) => ({
    ...{ key, rank, arrivals: 60, serviceMs: 20 },
  }))
  const holds = (given: object) =>
    Object.fromEntries(delaysOf({ classes, load, targetMs: 1000, drop: 0.4, ...given }))

  it('is not at all where nothing is refused', ({ expect }) => {
    expect(holds({ drop: 0 })).toEqual({ gold: 0, silver: 0, bronze: 0 })
  })

  it('is never for the first, and twice as long for each that is less', ({ expect }) => {
    const { gold, silver, bronze } = holds({})
    expect(gold).toBe(0)
    expect(silver).toBeGreaterThan(20)
    expect(bronze).toBe(2 * silver!)
  })

  it('is at most a quarter of the target, and a second', ({ expect }) => {
    expect(holds({ drop: 0.5 }).bronze).toBeLessThanOrEqual(250)
    expect(holds({ drop: 0.5, targetMs: 60_000 }).bronze).toBeLessThanOrEqual(1000)
  })

  it('leaves time for the service: nothing where a queue takes all of the target', ({ expect }) => {
    expect(holds({ load: { ...load, queueingMs: 980 } }).bronze).toBe(0)
  })

  it('does not get shorter by what lesser classes have filled', ({ expect }) => {
    expect(holds({ load: { ...load, inFlight: 150 } })).toEqual(holds({}))
  })

  it('is the same for classes of one rank', ({ expect }) => {
    const tied = [classes[0]!, classes[1]!, { ...classes[2]!, rank: 1 }]
    const { silver, bronze } = holds({ classes: tied })
    expect(silver).toBeGreaterThan(0)
    expect(bronze).toBe(silver)
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
      core.report(feedbackOf(counts, { seq: i, toMs: i * 1000, setup }), i * 1000)
      core.tickIfDue(i * 1000)
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
    const { servers, ...older } = state!
    expect(servers.drop).toBeGreaterThan(0)
    expect(new CoordinatorCore(older).plan!.routes.api!.classes.default!.delayMs).toBeUndefined()
    expect(new CoordinatorCore({ ...state, servers: { drop: 'x' } }).note).toContain('left aside')
  })
})
