import { describe, it } from 'vitest'
import { streams } from '../../lab/engine/random.ts'
import { OriginAdmission } from '../../src/admission/origin-admission.ts'
import type { Route } from '../../src/config/config.ts'
import { type Planned, planOf, routeOf, routesOf } from '../support/requests.ts'

const CLASSES = [
  { name: 'buyers', value: 10, match: { path: '/checkout/*' } },
  { name: 'browsers', value: 1 },
]

interface Given {
  readonly routes?: readonly Route[]
  readonly inFlight?: () => number
  readonly plan?: Planned
  readonly share?: number
}

function admissionOf({ routes = [routeOf()], inFlight = () => 0, plan, share = 1 }: Given = {}) {
  const admission = new OriginAdmission(routes, 0, () => 0.5, inFlight)
  if (plan) admission.follow(planOf(plan), { share }, 0)
  const [route] = routes
  return { admission, draw: (nowMs = 0, index = 0) => admission.draw(route!, index, nowMs) }
}

/** How many of `perSecond` draws, spread evenly over some seconds, are admitted. */
function admitted(
  draw: (nowMs: number) => { kind: string },
  perSecond: number,
  seconds: number,
): number {
  let count = 0
  for (let i = 0; i < perSecond * seconds; i++)
    if (draw((i * 1000) / perSecond).kind === 'admit') count++
  return count
}

describe('admission without a plan', () => {
  it('follows the route’s start-up rule', ({ expect }) => {
    const rule = (startup: string) => admissionOf({ routes: [routeOf({ startup })] })
    expect(rule('admit').draw()).toEqual({ kind: 'admit', reason: 'startup' })
    expect(rule('cached').draw()).toEqual({ kind: 'admit', reason: 'startup' })
    expect(rule('refuse').draw()).toEqual({ kind: 'refuse', reason: 'startup' })
    expect(rule('admit').admission.hasPlan).toBe(false)
  })
})

describe('admission by a plan without a limit', () => {
  it('admits every request', ({ expect }) => {
    const { draw } = admissionOf({ plan: { drawLimit: null }, share: 0 })
    expect(admitted(draw, 10_000, 1)).toBe(10_000)
    expect(draw()).toEqual({ kind: 'admit', reason: 'share' })
  })

  it('follows the probabilities of a learner that sets them: 25 of 100', ({ expect }) => {
    const plan = { drawLimit: null, classes: { default: { probability: 0.25 } } }
    expect(admitted(admissionOf({ plan }).draw, 100, 1)).toBe(25)
  })
})

describe('admission with a large share of the limit', () => {
  const plan = { drawLimit: 100, burst: 20, classes: { default: { probability: 0.9 } } }

  it('keeps to its share of the limit from the first second of a surge', ({ expect }) => {
    // 50/s for 10 s, from an empty bucket with a depth of 10, although the plan still says p = 0.9.
    const { draw } = admissionOf({ plan, share: 0.5 })
    const count = admitted(draw, 1000, 10)
    expect(count).toBeGreaterThanOrEqual(498)
    expect(count).toBeLessThanOrEqual(500)
    expect(draw(9_999)).toEqual({ kind: 'refuse', reason: 'share' })
  })

  it('admits everything within the limit, whatever the probability is', ({ expect }) => {
    const { draw } = admissionOf({ plan, share: 0.5 })
    expect(admitted((ms) => draw(ms + 1000), 40, 10)).toBe(400)
  })

  it('enforces even a small limit with the bucket if it sees nearly all traffic: 2/s', ({
    expect,
  }) => {
    const small = { drawLimit: 2, burst: 3, classes: { default: { probability: 0.5 } } }
    const count = admitted(admissionOf({ plan: small, share: 1 }).draw, 100, 30)
    expect(count).toBeGreaterThanOrEqual(58)
    expect(count).toBeLessThanOrEqual(60)
  })

  it('keeps capacity for a more important class', ({ expect }) => {
    const routes = [routeOf({ classes: CLASSES })]
    const classes = {
      buyers: { probability: 1, rank: 0 },
      browsers: { probability: 0.1, rank: 1 },
    }
    const { draw } = admissionOf({ routes, plan: { drawLimit: 10, burst: 6, classes }, share: 1 })
    let buyers = 0
    let browsers = 0
    // Eight buyers/s and a hundred browsers/s for a minute.
    for (let ms = 0; ms < 60_000; ms += 10) {
      if (draw(ms, 1).kind === 'admit') browsers++
      if (ms % 125 < 10 && draw(ms, 0).kind === 'admit') buyers++
    }
    expect(buyers).toBeGreaterThanOrEqual(8 * 60 - 5)
    expect(buyers + browsers).toBeLessThanOrEqual(10 * 60 + 1)
    expect(browsers).toBeGreaterThan(60)
  })

  it('refuses a class with probability 0, although the bucket is full', ({ expect }) => {
    const { draw } = admissionOf({
      plan: { drawLimit: 100, classes: { default: { probability: 0 } } },
    })
    expect(draw(10_000)).toEqual({ kind: 'refuse', reason: 'share' })
  })

  it('takes the cost of an admission: sessions of 10 requests, with a limit of 100 requests/s', ({
    expect,
  }) => {
    const classes = { default: { cost: 10 } }
    const { draw } = admissionOf({ plan: { drawLimit: 100, burst: 3, classes }, share: 1 })
    // In calm the bucket is full at first: a burst of three.
    const count = admitted(draw, 100, 20)
    expect(count).toBeGreaterThanOrEqual(197)
    expect(count).toBeLessThanOrEqual(203)
  })
})

describe('admission without overload', () => {
  const plan = { drawLimit: 1000, burst: 250, classes: { default: { probability: 1 } } }

  for (const share of [0.05, 0.01, 0.0025, 0.001])
    it(`hardly refuses random bursts at 0.7 of the limit in an isolate with ${share} of the traffic`, ({
      expect,
    }) => {
      const random = streams(1)('arrivals')
      const { draw } = admissionOf({ plan, share })
      let asked = 0
      let refused = 0
      for (let ms = 5000; ms < 600_000; asked++) {
        ms += (-Math.log(1 - random.next()) * 1000) / (0.7 * 1000 * share)
        if (draw(ms).kind === 'refuse') refused++
      }
      expect(refused / asked).toBeLessThan(0.005)
    })
})

describe('admission with a small share of the limit', () => {
  // 4/s of the limit is too little for a bucket.
  const plan = { drawLimit: 100, classes: { default: { probability: 0.25 } } }

  it('draws by the plan’s probability, exact within one: a quarter of 16/s', ({ expect }) => {
    const { draw } = admissionOf({ plan, share: 0.04 })
    const count = admitted((ms) => draw(ms + 2000), 16, 100)
    expect(Math.abs(count - 400)).toBeLessThanOrEqual(1)
  })

  it('limits a surge that no plan knows of yet to twice its usual share', ({ expect }) => {
    // (2 × 4/s + 0.25/s) × 10 s and the depth of 3. The draws alone would admit 250/s.
    const count = admitted(admissionOf({ plan, share: 0.04 }).draw, 1000, 10)
    expect(count).toBeGreaterThan(80)
    expect(count).toBeLessThanOrEqual(82.5 + 3)
  })

  it('uses only the draws before its share is known', ({ expect }) => {
    expect(admitted(admissionOf({ plan, share: 0 }).draw, 1000, 1)).toBe(250)
  })
})

describe('the cap on requests in flight', () => {
  const classes = { default: {} }

  it('refuses as full from this isolate’s share of it: half of 10', ({ expect }) => {
    let inFlight = 4
    const plan = { inFlightCap: 10, classes }
    const { draw } = admissionOf({ plan, share: 0.5, inFlight: () => inFlight })
    expect(draw().kind).toBe('admit')
    inFlight = 5
    expect(draw()).toEqual({ kind: 'refuse', reason: 'full' })
  })

  it('always allows an isolate one request', ({ expect }) => {
    let inFlight = 0
    const plan = { inFlightCap: 10, classes }
    const { draw } = admissionOf({ plan, share: 0, inFlight: () => inFlight })
    expect(draw().kind).toBe('admit')
    inFlight = 1
    expect(draw().kind).toBe('refuse')
  })

  it('does not apply if the plan has none', ({ expect }) => {
    expect(admissionOf({ plan: {}, inFlight: () => 1e6 }).draw().kind).toBe('admit')
  })
})

describe('the guarantee', () => {
  it('comes before the limit and the cap', ({ expect }) => {
    const classes = { default: { probability: 0, guaranteed: 10, conforming: 1 } }
    const plan = { drawLimit: 0, inFlightCap: 1, classes }
    const { draw } = admissionOf({ plan, inFlight: () => 99 })
    expect(draw()).toEqual({ kind: 'admit', reason: 'guaranteed' })
  })
})

describe('admission when the coordinator cannot be reached', () => {
  const failing = (failure: string, limit = 10) => {
    const given = admissionOf({ routes: [routeOf({ failure })], plan: { drawLimit: null } })
    given.admission.failLocally(limit, 0)
    return given
  }

  it('admits all if the rule is open, and none if it is closed', ({ expect }) => {
    expect(failing('open').draw()).toEqual({ kind: 'admit', reason: 'open' })
    expect(failing('closed').draw()).toEqual({ kind: 'refuse', reason: 'closed' })
  })

  it('keeps to its own limit if the rule is local: 10/s', ({ expect }) => {
    const { draw } = failing('local')
    const count = admitted(draw, 100, 20)
    expect(count).toBeGreaterThanOrEqual(198)
    expect(count).toBeLessThanOrEqual(200)
    expect(draw(20_000)).toEqual({ kind: 'refuse', reason: 'local' })
  })

  it('takes the cost of an admission from its own limit too', ({ expect }) => {
    const given = admissionOf({ plan: { drawLimit: 100, classes: { default: { cost: 10 } } } })
    given.admission.failLocally(100, 0)
    const count = admitted(given.draw, 100, 20)
    expect(count).toBeGreaterThanOrEqual(197)
    expect(count).toBeLessThanOrEqual(203)
  })

  it('follows the rule even before the first plan', ({ expect }) => {
    const { admission, draw } = admissionOf({ routes: [routeOf({ failure: 'closed' })] })
    admission.failLocally(10, 0)
    expect(draw().reason).toBe('closed')
  })

  it('follows the rule of each route', ({ expect }) => {
    const routes = routesOf(
      { name: 'shop', match: '/shop/*', failure: 'open' },
      { name: 'api', match: '/api/*', failure: 'closed' },
    )
    const { admission } = admissionOf({ routes, plan: {} })
    admission.failLocally(10, 0)
    expect(routes.map((route) => admission.draw(route, 0, 0).reason)).toEqual(['open', 'closed'])
  })

  it('follows the next plan again', ({ expect }) => {
    const { admission, draw } = failing('closed')
    admission.follow(planOf({ drawLimit: null }), { share: 0.1 }, 1000)
    expect(draw(1000)).toEqual({ kind: 'admit', reason: 'share' })
  })
})

describe('a plan without an entry for a class', () => {
  it('leaves the class unchanged', ({ expect }) => {
    const routes = [routeOf({ classes: CLASSES })]
    const { admission, draw } = admissionOf({
      routes,
      plan: { classes: { buyers: { probability: 1 }, browsers: { probability: 0 } } },
    })
    admission.follow(planOf({ classes: { buyers: { probability: 1 } } }), { share: 1 }, 0)
    expect(draw(0, 1).kind).toBe('refuse')
  })
})
