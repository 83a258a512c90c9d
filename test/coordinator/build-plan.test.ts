import { describe, it } from 'vitest'
import { buildPlan } from '../../src/coordinator/build-plan.ts'
import { costsOf } from '../../src/coordinator/class-cost.ts'
import { type CoordinatorState, stateWith } from '../../src/coordinator/state.ts'
import type { Decision } from '../../src/learners/learner-interface.ts'
import { CLASS, type Given, setupOf } from '../support/feedback.ts'

interface Known extends Partial<Omit<CoordinatorState, 'arrivals'>> {
  /** Per second, by class key. */
  readonly arrivals?: Readonly<Record<string, number>>
}

const plan = (given: Given, decision: Partial<Decision>, { arrivals, ...known }: Known = {}) => {
  const state = stateWith(setupOf(given), null, {
    decision: { limit: null, reason: 'steady', ...decision },
    seq: 7,
    issuedAtMs: 7000,
    arrivals: Object.fromEntries(
      Object.entries(arrivals ?? {}).map(([key, rate]) => [key, { rate, seconds: 60 }]),
    ),
    ...known,
  })
  return buildPlan(state, costsOf(state.serviceTotals))
}

const BUYERS = { ...CLASS, name: 'buyers', value: 10 }
const MEMBERS = { ...CLASS, name: 'members', value: 5 }

describe('a plan', () => {
  it('has its setup, its number, its time, and is valid for three ticks', ({ expect }) => {
    expect(plan({ tickMs: 500 }, {})).toMatchObject({
      ...{ version: 1, origin: 'origin', seq: 7, issuedAtMs: 7000, goodForMs: 1000 },
      setup: { id: 'a setup', sinceMs: 0 },
    })
  })

  it('has no limit if the learner sets none', ({ expect }) => {
    const made = plan({}, { limit: null }, { arrivals: { 'shop/default': 1e6 } })
    expect(made.drawLimit).toBeNull()
    expect(made.routes.shop).toMatchObject({
      limit: null,
      classes: { default: { probability: 1, cost: 1, rank: 0 } },
    })
  })
})

describe('two routes of one origin', () => {
  const routes = {
    shop: { classes: [BUYERS, CLASS] },
    club: { classes: [MEMBERS] },
  }
  const arrivals = { 'shop/buyers': 30, 'shop/default': 100, 'club/members': 40 }

  it('are allocated together, by value: 30 buyers, then 20 of 40 members, then none', ({
    expect,
  }) => {
    const made = plan({ routes }, { limit: 50 }, { arrivals })
    expect(made.drawLimit).toBe(50)
    expect(made.routes.shop!.classes).toMatchObject({
      buyers: { probability: 1, rank: 0 },
      default: { probability: 0, rank: 2 },
    })
    expect(made.routes.club!.classes).toMatchObject({ members: { probability: 0.5, rank: 1 } })
  })

  it('keep their guarantees first: 10/s of the least important class, before the buyers', ({
    expect,
  }) => {
    const guaranteed = { ...CLASS, guaranteed: 10 }
    const made = plan(
      { routes: { ...routes, shop: { classes: [BUYERS, guaranteed] } } },
      { limit: 50 },
      { arrivals },
    )
    expect(made.drawLimit).toBe(40)
    expect(made.routes.shop!.classes.default).toMatchObject({
      ...{ probability: 0, guaranteed: 10, conforming: 0.1 },
    })
    expect(made.routes.club!.classes.members!.probability).toBe(0.25)
  })
})

describe('sessions and requests at one origin', () => {
  const routes = { shop: {}, api: { granularity: 'request' as const } }

  it('share a limit in requests: a session costs all its requests', ({ expect }) => {
    const made = plan({ routes }, { limit: 100, requestsPerSession: 5 })
    expect(made.routes.shop!.classes.default!.cost).toBe(5)
    expect(made.routes.api!.classes.default!.cost).toBe(1)
    expect(made.routes.shop!.limit).toBe(20)
    expect(made.routes.api!.limit).toBe(100)
  })

  it('count ten requests a session until the learner knows better', ({ expect }) => {
    expect(plan({ routes }, { limit: 100 }).routes.shop!.classes.default!.cost).toBe(10)
  })

  it('leave known sessions what they need: 30 of 100/s', ({ expect }) => {
    const arrivals = { 'shop/default': 10, 'api/default': 100 }
    const known = { arrivals, sessionRequests: 30 }
    const made = plan({ routes }, { limit: 100, requestsPerSession: 4 }, known)
    expect(made.drawLimit).toBe(70)
    expect(made.routes.api!.classes.default!.probability).toBe(0.5)
  })

  it('may leave nothing for draws, but never less than 0', ({ expect }) => {
    expect(plan({ routes }, { limit: 20 }, { sessionRequests: 30 }).drawLimit).toBe(0)
  })

  it('count in sessions if there are only session routes, whatever known sessions do', ({
    expect,
  }) => {
    const made = plan({}, { limit: 20 }, { sessionRequests: 300 })
    expect(made.drawLimit).toBe(20)
    expect(made.routes.shop!.classes.default!.cost).toBe(1)
  })
})

describe('a learner that gives probabilities', () => {
  it('sets the probability of each class, and a limit of 1.5 times that only stops a surge', ({
    expect,
  }) => {
    const made = plan(
      { routes: { shop: { classes: [BUYERS, CLASS] } } },
      { limit: 10, probabilities: { 'shop/buyers': 0.9 } },
      { arrivals: { 'shop/buyers': 5, 'shop/default': 10 } },
    )
    // Nothing is known of earlier arrivals, so it is that of 5 per second and class.
    expect(made.drawLimit).toBeCloseTo(1.5 * (0.9 * 5 + 1 * 5), 9)
    expect(made.draws).toBe('policy')
    expect(made.routes.shop!.classes.buyers!.probability).toBe(0.9)
    expect(made.routes.shop!.classes.default!.probability).toBe(0.5)
  })
})

describe('a learner that predicts arrivals (Bartolini et al. 2009, §4.1)', () => {
  const arrivals = { 'shop/buyers': 40, 'shop/default': 60 }
  const routes = { shop: { classes: [BUYERS, CLASS] } }
  const probabilities = (made: ReturnType<typeof plan>) =>
    Object.values(made.routes.shop!.classes).map(({ probability }) => probability)

  it('sets p = min(1, λ* / λ̂), whatever came in the last tick: 50 of 200 where 100 came', ({
    expect,
  }) => {
    const made = plan({}, { limit: 50, arrivals: 200 }, { arrivals: { 'shop/default': 100 } })
    expect(made.draws).toBe('forecast')
    expect(probabilities(made)).toEqual([0.25])
  })

  it('expects the mix of the last ticks: of 200, 80 are buyers and get 50', ({ expect }) => {
    const made = plan({ routes }, { limit: 50, arrivals: 200 }, { arrivals })
    expect(probabilities(made)).toEqual([50 / 80, 0])
  })

  it('does not count the classes that are limited by themselves', ({ expect }) => {
    const sla = { percentile: 95, targets: [{ fromRate: 0, targetMs: 3000 }], windowMs: 60_000 }
    const shop = { granularity: 'request' as const, classes: [{ ...BUYERS, sla }, CLASS] }
    const made = plan({ routes: { shop } }, { limit: 15, arrivals: 60 }, { arrivals })
    expect(made.routes.shop!.classes.default!.probability).toBe(0.25)
  })
})

describe('the burst', () => {
  it('is what the limit admits in a quarter of the target: 100/s × 1 s / 4', ({ expect }) => {
    expect(plan({}, { limit: 100 }).burst).toBe(25)
  })

  it('is at least 3, and at most what the limit admits in half a second', ({ expect }) => {
    const slow = { percentile: 95, targets: [{ fromRate: 0, targetMs: 60_000 }], windowMs: 300_000 }
    expect(plan({}, { limit: 2 }).burst).toBe(3)
    expect(plan({}, { limit: null }).burst).toBe(3)
    expect(plan({ routes: { shop: { sla: slow } } }, { limit: 100 }).burst).toBe(50)
  })

  it('comes from the learner if it sets one, and so does the cap in flight', ({ expect }) => {
    expect(plan({}, { limit: 100, burst: 4 }).burst).toBe(4)
    expect(plan({}, { inFlightCap: 12 }).inFlightCap).toBe(12)
    expect(plan({}, {}).inFlightCap).toBeNull()
  })
})

describe('the target in force', () => {
  it('is the row of the index, or the first if there is no such row', ({ expect }) => {
    const targets = [
      { fromRate: 0, targetMs: 1000 },
      { fromRate: 100, targetMs: 3000 },
    ]
    const routes = { shop: { sla: { percentile: 95, windowMs: 300_000, targets } } }
    const targetMs = (row: number) =>
      plan({ routes }, {}, { targets: { shop: row } }).routes.shop!.targetMs
    expect([0, 1, 2].map(targetMs)).toEqual([1000, 3000, 1000])
  })
})

describe('the order of the origin', () => {
  it('is by value unless the setup says otherwise', ({ expect }) => {
    const routes = {
      shop: { classes: [{ ...BUYERS, value: 30 }] },
      api: { granularity: 'request' as const, classes: [{ ...MEMBERS, value: 5 }] },
    }
    const ranks = (order?: 'value' | 'density') => {
      const { routes: made } = plan({ routes, ...(order ? { order } : {}) }, { limit: 100 })
      return [made.shop!.classes.buyers!.rank, made.api!.classes.members!.rank]
    }
    // A session of ten requests is worth 30, 3 a request; a member's request is worth 5.
    expect(ranks()).toEqual([0, 1])
    expect(ranks('value')).toEqual([0, 1])
    expect(ranks('density')).toEqual([1, 0])
  })
})

describe('guarantees beyond the limit', () => {
  it('are kept, leave nothing for draws, and are marked in the plan', ({ expect }) => {
    const routes = { shop: { classes: [{ ...BUYERS, guaranteed: 10 }, CLASS] } }
    const arrivals = { 'shop/buyers': 12, 'shop/default': 100 }
    const made = plan({ routes }, { limit: 8 }, { arrivals })
    expect(made).toMatchObject({ drawLimit: 0, overcommitted: true })
    expect(made.routes.shop!.classes.buyers!.conforming).toBeCloseTo(10 / 12)
    expect(plan({ routes }, { limit: 50 }, { arrivals }).overcommitted).toBeUndefined()
  })
})

describe('the servers of a pool', () => {
  const servers = ['https://a.example.com', 'https://b.example.com'].map((url) => ({
    url,
    weight: 1,
  }))

  it('are listed if they are down, and not otherwise', ({ expect }) => {
    const failures = { 'https://b.example.com': 5 }
    const poolHealth = { failures, removed: Object.keys(failures) }
    expect(plan({ servers }, {}, { poolHealth }).down).toEqual(['https://b.example.com'])
    expect(plan({ servers }, {})).not.toHaveProperty('down')
    expect(plan({}, {}, { poolHealth })).not.toHaveProperty('down')
  })
})
