import fc from 'fast-check'
import { describe, it } from 'vitest'
import { NO_CURVE } from '../../../src/learners/soc-lqr/curve.ts'
import {
  aimOf,
  capOf,
  FIRST_POINT,
  kneeOf,
  type OperatingPoint,
  observeBudget,
  operatingPart,
  scaledSpare,
  startingSpare,
  type TrimGround,
  trimmedCap,
  trimmedSpare,
} from '../../../src/learners/soc-lqr/operating-point.ts'
import { TIMES, VERDICT } from '../../support/soc-lqr-parts.ts'

const GROUND: TrimGround = { aim: 0.5, windowSpent: 0, lagS: 5, windowS: 60, floor: 0.4 }
const FLOOR = GROUND.floor
const LATE = { ...VERDICT, queueing: 1, spent: 2 }
const IN_TIME = { ...VERDICT, queueing: 0.5, spent: 0 }
const positive = (min: number, max: number) => fc.double({ min, max, noNaN: true })

/** Windows of 60 s, of which each spends so much of its allowance; an interval every 5 s. */
function windows(spentOf: (window: number) => number, count: number) {
  let { budget } = FIRST_POINT
  for (let n = 0; n < 12 * count; n++) {
    const spent = spentOf(Math.floor(n / 12))
    budget = observeBudget(budget, { ...VERDICT, seconds: 5, completed: 100, spent }, 60)
  }
  return budget
}

describe('what a window may spend, so that nearly every window keeps its promise', () => {
  it('is more where windows are alike than where one in five spends nearly all', ({ expect }) => {
    const alike = aimOf(
      windows(() => 0.4, 60),
      2,
      TIMES,
    )
    const unlike = aimOf(
      windows((n) => (n % 5 === 0 ? 1.5 : 0), 60),
      2,
      TIMES,
    )
    expect(alike).toBeGreaterThan(1.5 * unlike)
  })

  it('leaves room for so many deviations: (1 + n σ/μ) of it are the allowance, within its bounds', ({
    expect,
  }) => {
    const budget = { ...FIRST_POINT.budget, mean: 0.5, square: 0.25 * (1 + 0.16) }
    expect(aimOf(budget, 2, TIMES)).toBeCloseTo(1 / (1 + 2 * 0.4), 9)
    expect(aimOf(budget, 3, TIMES)).toBeCloseTo(1 / (1 + 3 * 0.4), 9)
  })

  it('is less the more certain one wants to be, and never all of it nor nothing', ({ expect }) => {
    fc.assert(
      fc.property(positive(0.01, 3), positive(0, 3), positive(0, 5), (mean, c, certainty) => {
        const budget = { ...FIRST_POINT.budget, mean, square: mean * mean * (1 + c * c) }
        const aim = aimOf(budget, certainty, TIMES)
        expect(aim).toBeGreaterThan(0)
        expect(aim).toBeLessThan(1)
        expect(aimOf(budget, certainty + 1, TIMES)).toBeLessThanOrEqual(aim)
      }),
    )
  })

  it('is no less than service alone spends: less load makes that no faster', ({ expect }) => {
    for (const ownSpent of [0.8, 1, 5]) {
      const aim = aimOf(FIRST_POINT.budget, 2, { ...TIMES, ownSpent })
      expect(aim).toBeGreaterThanOrEqual(ownSpent)
    }
  })

  it('comes from requests, not from intervals: 900 that spent 0 and 100 that spent 5 have spent 0.5', ({
    expect,
  }) => {
    const short = { ...VERDICT, seconds: 1e-9 }
    const first = observeBudget(FIRST_POINT.budget, { ...short, completed: 900, spent: 0 }, 60)
    const both = observeBudget(first, { ...short, completed: 100, spent: 5 }, 60)
    expect(both.spent / both.completed).toBeCloseTo(0.5, 6)
  })
})

describe('the spare part of the capacity, when it is first known', () => {
  it('is κ/(C W) (Kingman 1962): half of it at twice the size, or at twice the slack', ({
    expect,
  }) => {
    const at = (capacity: number, slackS: number) =>
      startingSpare(1, capacity, { ...TIMES, slackS })
    const kappa = Math.log(1 / TIMES.aimed)
    expect(at(100, 0.7)).toBeCloseTo(kappa / 70, 9)
    expect(at(200, 0.7) / at(100, 0.7)).toBeCloseTo(0.5, 9)
    expect(at(100, 1.4) / at(100, 0.7)).toBeCloseTo(0.5, 9)
  })

  it('is more where service varies more, and where less may be late', ({ expect }) => {
    const usual = startingSpare(1, 100, TIMES)
    expect(startingSpare(1, 100, { ...TIMES, variation: 0 })).toBeLessThan(usual)
    expect(startingSpare(1, 100, { ...TIMES, variation: 2 })).toBeGreaterThan(usual)
    expect(startingSpare(1, 100, { ...TIMES, aimed: 0.002 })).toBeGreaterThan(usual)
  })

  it('is a small part of any origin’s capacity, and never none', ({ expect }) => {
    fc.assert(
      fc.property(positive(0.01, 1e6), positive(0.001, 100), (capacity, slackS) => {
        const spare = startingSpare(0.5, capacity, { ...TIMES, slackS })
        expect(spare).toBeGreaterThan(0)
        expect(spare).toBeLessThan(0.5)
      }),
    )
  })

  it('changes against the capacity: C W spare stays as it is', ({ expect }) => {
    expect(scaledSpare(0.1, 2)).toBeCloseTo(0.05, 9)
    expect(scaledSpare(0.1, 0.5)).toBeCloseTo(0.2, 9)
  })
})

describe('trimming of the spare part: an integrator', () => {
  it('leaves more when too many are late, less when fewer are, and the same at the aim', ({
    expect,
  }) => {
    expect(trimmedSpare(0.1, LATE, GROUND)).toBeGreaterThan(0.1)
    expect(trimmedSpare(0.1, IN_TIME, GROUND)).toBeLessThan(0.1)
    expect(trimmedSpare(0.1, { ...LATE, spent: GROUND.aim }, GROUND)).toBe(0.1)
  })

  it('takes nothing back while the window has spent more than its aim, unless nothing waits', ({
    expect,
  }) => {
    const spent = { ...GROUND, windowSpent: 1 }
    expect(trimmedSpare(0.1, IN_TIME, spent)).toBe(0.1)
    expect(trimmedSpare(0.1, LATE, spent)).toBe(trimmedSpare(0.1, LATE, GROUND))
    expect(trimmedSpare(0.1, { ...IN_TIME, queueing: 0 }, spent)).toBeLessThan(0.1)
  })

  it('adds up over time: two intervals move as one of twice the length', ({ expect }) => {
    const twice = trimmedSpare(trimmedSpare(0.1, LATE, GROUND), LATE, GROUND)
    expect(trimmedSpare(0.1, { ...LATE, seconds: 20 }, GROUND)).toBeCloseTo(twice, 9)
  })

  it('reaches the share that is aimed at on a queue in heavy traffic', ({ expect }) => {
    // P(wait > W) = e^(−spare C W) in allowances of 0.05: the aim is met at spare = ln(1/0.025)/50.
    let spare = 0.3
    for (let n = 0; n < 500; n++) {
      const spent = Math.exp(-spare * 50) / 0.05
      spare = trimmedSpare(spare, { ...LATE, spent, seconds: 5 }, GROUND)
    }
    expect(spare).toBeCloseTo(Math.log(1 / (GROUND.aim * 0.05)) / 50, 3)
  })

  it('does not leave more for what is slow by itself: where nothing waits it never rises', ({
    expect,
  }) => {
    expect(trimmedSpare(0.1, { ...LATE, queueing: 0 }, GROUND)).toBeLessThanOrEqual(0.1)
  })

  it('moves more slowly where the loop is slower', ({ expect }) => {
    const slow = trimmedSpare(0.1, LATE, { ...GROUND, lagS: 300 })
    expect(slow).toBeGreaterThan(0.1)
    expect(slow).toBeLessThan(trimmedSpare(0.1, LATE, GROUND))
  })

  it('never admits less than the floor: a target out of reach shuts nothing down', ({ expect }) => {
    fc.assert(
      fc.property(positive(0.05, 0.95), positive(0, 50), positive(0, 5), (floor, spent, wait) => {
        let { spare } = FIRST_POINT
        for (let n = 0; n < 200; n++)
          spare = trimmedSpare(spare, { ...LATE, spent, queueing: wait }, { ...GROUND, floor })
        const part = operatingPart({ ...FIRST_POINT, spare }, NO_CURVE, floor)
        expect(part).toBeGreaterThanOrEqual(floor - 1e-12)
        expect(part).toBeLessThan(1)
      }),
    )
  })

  it('yields to SOC’s curve where that has seen the promise broken', ({ expect }) => {
    const slice = { slice: 40, weight: 4, load: 0.824, spent: 2 }
    const part = operatingPart(FIRST_POINT, { ...NO_CURVE, slices: [slice] }, 0.4)
    expect(part).toBeLessThan(0.824)
    expect(part).toBeLessThan(operatingPart(FIRST_POINT, NO_CURVE, 0.4))
  })
})

describe('trimming of the cap', () => {
  const trim = (point: Partial<OperatingPoint>, verdict: typeof LATE) => ({
    ...FIRST_POINT,
    ...trimmedCap({ ...FIRST_POINT, ...point }, verdict, GROUND),
  })

  it('makes it smaller when too many are late, larger when fewer are or nothing waits', ({
    expect,
  }) => {
    expect(trim({}, LATE).trim).toBeLessThan(1)
    expect(trim({}, IN_TIME).trim).toBeGreaterThan(1)
    expect(trim({}, { ...LATE, queueing: 0 }).trim).toBeGreaterThan(1)
  })

  it('tries a cap that was too much again more slowly, each time that it was', ({ expect }) => {
    let point: OperatingPoint = FIRST_POINT
    const rises: number[] = []
    for (let n = 0; n < 4; n++) {
      const up = trim({ ...point, trim: 0.5 }, IN_TIME)
      rises.push(up.trim / 0.5)
      point = trim(up, LATE)
    }
    for (let n = 1; n < rises.length; n++) {
      expect(rises[n]).toBeGreaterThan(1)
      expect(rises[n]).toBeLessThan(rises[n - 1]!)
    }
  })

  it('counts a cap that was too much once, however long it takes to fall', ({ expect }) => {
    const first = trim({}, LATE)
    const second = trim(first, LATE)
    expect(first.failed).toBeGreaterThan(0)
    expect(second.failed).toBeLessThan(first.failed)
  })

  it('forgets with time', ({ expect }) => {
    expect(trim({ failed: 2 }, { ...IN_TIME, seconds: 1000 }).failed).toBe(0)
  })

  it('stays within bounds', ({ expect }) => {
    const end = (verdict: typeof LATE) => {
      let point: OperatingPoint = FIRST_POINT
      for (let n = 0; n < 1000; n++) point = trim(point, verdict)
      return point.trim
    }
    expect(end(LATE)).toBeGreaterThan(0)
    expect(end(LATE)).toBeLessThan(0.5)
    expect(end(IN_TIME)).toBeGreaterThan(1)
    expect(end(IN_TIME)).toBeLessThan(3)
  })
})

describe('the knee and the cap', () => {
  const size = positive(0, 1e5)

  it('has the busy servers of Little’s law below it, and a reserve that grows with their root', ({
    expect,
  }) => {
    fc.assert(
      fc.property(size, positive(0.001, 10), (load, meanS) => {
        const busy = load * meanS
        expect(kneeOf(load, meanS, 1)).toBeGreaterThan(busy)
        const reserve = (factor: number) => kneeOf(factor * load, meanS, 1) - factor * busy
        expect(reserve(4)).toBeLessThanOrEqual(2 * reserve(1) + 1e-6 * busy)
      }),
    )
  })

  it('rises with the load, the service time and the factor', ({ expect }) => {
    fc.assert(
      fc.property(size, size, positive(0.001, 10), positive(0, 4), (a, b, meanS, factor) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)]
        expect(kneeOf(less, meanS, factor)).toBeLessThanOrEqual(kneeOf(more, meanS, factor))
        expect(kneeOf(a, meanS, factor)).toBeLessThanOrEqual(kneeOf(a, 2 * meanS, factor))
        expect(kneeOf(a, meanS, factor)).toBeLessThanOrEqual(kneeOf(a, meanS, factor + 1))
      }),
    )
  })

  it('caps at one request at the least, and at no more than rises with the trim', ({ expect }) => {
    fc.assert(
      fc.property(size, positive(0.2, 1.6), positive(0.001, 10), (capacity, trim, meanS) => {
        const times = { ...TIMES, meanS, tailS: 3 * meanS }
        const cap = capOf(capacity, trim, times, FLOOR)
        expect(cap).toBeGreaterThanOrEqual(1)
        expect(Number.isInteger(cap)).toBe(true)
        expect(capOf(capacity, trim + 0.1, times, FLOOR)).toBeGreaterThanOrEqual(cap)
      }),
    )
  })

  it('keeps the floor of the busy servers, however far it is trimmed: there nobody waits', ({
    expect,
  }) => {
    const busy = 1000 * TIMES.meanS
    for (const trim of [0.4, 0.2, 0.01])
      expect(capOf(1000, trim, TIMES, FLOOR)).toBeGreaterThanOrEqual(FLOOR * busy)
  })

  it('keeps the servers busy untrimmed, and who is last in time', ({ expect }) => {
    for (const capacity of [20, 100, 1000, 10_000]) {
      const cap = capOf(capacity, 1, TIMES, FLOOR)
      expect(cap).toBeGreaterThan(capacity * TIMES.meanS)
      expect(cap / capacity).toBeLessThan(TIMES.targetS)
    }
  })
})
