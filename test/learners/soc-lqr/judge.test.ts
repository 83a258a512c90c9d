import { describe, it } from 'vitest'
import { NO_CURVE } from '../../../src/learners/soc-lqr/curve.ts'
import { allowedLoad, type JudgeGround, judge, learn } from '../../../src/learners/soc-lqr/judge.ts'
import type { Assessment } from '../../../src/learners/soc-lqr/operating-point.ts'
import { SOC_LQR_OPTIONS } from '../../../src/learners/soc-lqr/options.ts'
import { FRESH_STATE, type SocLqrState } from '../../../src/learners/soc-lqr/state.ts'
import { addTick, isFull, NO_INTERVAL } from '../../../src/learners/soc-lqr/tick.ts'
import type { Tier } from '../../../src/learners/soc-lqr/tiers.ts'
import { resolveOptions } from '../../../src/lib/option-table.ts'
import { interval, SAMPLE, TIER } from '../../support/plant-s-tier.ts'
import { SECOND, TIMES, VERDICT } from '../../support/soc-lqr-parts.ts'

const OPTIONS = resolveOptions(SOC_LQR_OPTIONS, {})

describe('an interval', () => {
  /** Seconds of this many completions until it is full. */
  function secondsUntilFull(completed: number, isKnown: boolean): number {
    const tick = { ...SECOND, completed }
    let so = NO_INTERVAL
    for (let n = 1; n <= 1000; n++) {
      so = addTick(so, tick)
      if (isFull(so, tick, isKnown)) return n
    }
    return Number.POSITIVE_INFINITY
  }

  it('is never a single tick: that is off by its length', ({ expect }) => {
    expect(secondsUntilFull(100_000, true)).toBe(2)
    expect(secondsUntilFull(100_000, false)).toBe(2)
  })

  it('takes longer the fewer are completed, and no longer while the capacity is not known', ({
    expect,
  }) => {
    const counts = [1, 2, 5, 10, 20, 50, 100]
    const known = counts.map((count) => secondsUntilFull(count, true))
    expect(known).toEqual([...known].sort((a, b) => b - a))
    for (const [i, count] of counts.entries())
      expect(secondsUntilFull(count, false)).toBeLessThanOrEqual(known[i]!)
    expect(secondsUntilFull(20, false)).toBeLessThan(secondsUntilFull(20, true))
  })

  it('is never full without completions', ({ expect }) => {
    expect(secondsUntilFull(0, true)).toBe(Number.POSITIVE_INFINITY)
  })

  it('adds up its ticks, and for how long more asked than were let in', ({ expect }) => {
    const so = addTick(addTick(NO_INTERVAL, { ...SECOND, refusing: true }), SECOND)
    expect(so).toMatchObject({ seconds: 2, requests: 200, completed: 200, refusingS: 1 })
  })
})

const judged = (tiers: readonly Tier[], changed: Partial<SocLqrState['interval']> = {}) =>
  judge(
    {
      ...FRESH_STATE,
      tiers,
      interval: {
        ...NO_INTERVAL,
        seconds: 10,
        requests: 210,
        completed: 200,
        served: 200,
        ...changed,
      },
    },
    tiers.map(({ name }) => ({ ...SAMPLE, name })),
  )

describe('a verdict', () => {
  it('has spent the allowance when 5 of 100 are over a p95, by the tier that is worst', ({
    expect,
  }) => {
    const spent = (...late: number[]) =>
      judged(late.map((count, i) => ({ ...interval(1, count), name: `${i}` }))).verdict.spent
    expect(spent(5)).toBeCloseTo(1, 9)
    expect(spent(2)).toBeCloseTo(0.4, 9)
    expect(spent(2, 15)).toBeCloseTo(3, 9)
  })

  it('queues by z = (mean − S0)/(W/2), of the tier that waits longest', ({ expect }) => {
    const half = (5 - Math.log(20)) / 2
    expect(judged([interval(1.5, 0)]).verdict.queueing).toBeCloseTo(0.5 / half, 9)
    const two = [interval(1.5, 0), { ...interval(2, 0), name: 'search' }]
    expect(judged(two).verdict.queueing).toBeCloseTo(1 / half, 9)
    expect(judged([interval(0.5, 0)]).verdict.queueing).toBe(0)
  })

  it('counts who gave up as over the target', ({ expect }) => {
    // 25 to 100 that were in time are a share of 0.2: four allowances of 0.05.
    const { verdict } = judged([interval(1, 0)], { completed: 100, abandoned: 25 })
    expect(verdict.spent).toBeCloseTo(4, 9)
    expect(verdict.queueing).toBeGreaterThan(0)
  })

  it('leaves a tier alone that had hardly any completions', ({ expect }) => {
    const rare: Tier = { ...TIER, name: 'rare', completed: 3, late: 3 }
    expect(judged([interval(1, 2), rare]).verdict.spent).toBeCloseTo(0.4, 9)
    const common: Tier = { ...rare, completed: 100, late: 100 }
    expect(judged([interval(1, 2), common]).verdict.spent).toBeCloseTo(20, 9)
  })

  it('lets S0 rise only where the origin is not busy', ({ expect }) => {
    const slower = interval(1.4, 0)
    expect(judged([slower]).tiers[0]!.meanS).toBeGreaterThan(1)
    expect(judged([slower], { refusingS: 5 }).tiers[0]!.meanS).toBe(1)
  })
})

/** A request route of 100/s, known, near its limit. */
const KNOWN: SocLqrState = {
  ...FRESH_STATE,
  tiers: [TIER],
  capacity: { ...FRESH_STATE.capacity, rate: 100, weight: 1000 },
}
type Ground = JudgeGround & { readonly closed: readonly Tier[] }
const ground = (given: Partial<Ground> = {}): Ground => ({
  tick: SECOND,
  times: TIMES,
  options: OPTIONS,
  lagS: 0,
  atCap: false,
  isPeakAhead: false,
  closed: [TIER],
  ...given,
})
const verdict = (given: Partial<Assessment>): Assessment => ({ ...VERDICT, ...given })

describe('tuning, once the capacity is known', () => {
  const spareAfter = (given: Partial<Assessment>, more: Partial<JudgeGround> = {}) =>
    learn(KNOWN, verdict(given), ground(more)).point.spare

  it('leaves more free after what is late, and less after what is not', ({ expect }) => {
    expect(spareAfter({ spent: 3, queueing: 1 })).toBeGreaterThan(KNOWN.point.spare)
    expect(spareAfter({ spent: 0, queueing: 0.5 })).toBeLessThan(KNOWN.point.spare)
  })

  it('learns nothing about the limit from a load far below it', ({ expect }) => {
    expect(spareAfter({ load: 30 })).toBe(KNOWN.point.spare)
  })

  it('learns nothing about the load while the cap decides', ({ expect }) => {
    expect(spareAfter({ spent: 3, queueing: 1 }, { atCap: true })).toBe(KNOWN.point.spare)
  })

  it('lets the rate of a request route rise while it refuses, where classes compete for it', ({
    expect,
  }) => {
    const after = (contested: boolean) => {
      const refusing = { ...KNOWN, interval: { ...NO_INTERVAL, refusingS: 5 } }
      const quiet = verdict({ spent: 0, queueing: 0.05 })
      return learn(refusing, quiet, ground({ tick: { ...SECOND, contested } })).point.spare
    }
    expect(after(true)).toBeLessThan(KNOWN.point.spare)
    // Otherwise the cap decides, and the rate is out of its way.
    expect(after(false)).toBe(KNOWN.point.spare)
  })

  it('learns nothing while what was admitted before a change is still there', ({ expect }) => {
    const settling = { ...KNOWN, settling: 0.5 }
    const { point, reach } = learn(settling, verdict({ spent: 9, queueing: 3 }), ground())
    expect([point, reach]).toEqual([KNOWN.point, KNOWN.reach])
  })

  /** Seconds of quiet at the limit until more is tried. */
  function untilTried(isPeakAhead: boolean): number {
    let state = { ...KNOWN, point: { ...KNOWN.point, spare: 0.02 } }
    for (let seconds = 1; seconds < 3600; seconds++) {
      const seen = verdict({ seconds: 1, completed: 100, queueing: 0.2, spent: 0.3 })
      state = { ...learn(state, seen, ground({ isPeakAhead })), point: state.point }
      if (state.reach.stage > 0) return seconds
    }
    return Number.POSITIVE_INFINITY
  }

  it('tries more later where earlier days had a peak (Urgaonkar et al. 2008, §5.1)', ({
    expect,
  }) => {
    expect(untilTried(false)).toBeLessThan(60)
    expect(untilTried(true)).toBeGreaterThan(2 * untilTried(false))
    expect(untilTried(true)).toBeLessThan(Number.POSITIVE_INFINITY)
  })

  it('lets a cap rise again that keeps the load low, as who is refused shows', ({ expect }) => {
    const low = { ...KNOWN, point: { ...KNOWN.point, trim: 0.3 } }
    const trimOf = (refusingS: number) =>
      learn(
        { ...low, interval: { ...NO_INTERVAL, refusingS } },
        verdict({ load: 30, goodput: 30, spent: 0, queueing: 0 }),
        ground(),
      ).point.trim
    expect(trimOf(5)).toBeGreaterThan(0.3)
    expect(trimOf(0)).toBe(0.3)
  })

  it('leaves ever more free where ever more is late, as where servers are lost unseen', ({
    expect,
  }) => {
    let state: SocLqrState = KNOWN
    const at = ground({ tick: { ...SECOND, onSessions: true }, lagS: 5 })
    // Whatever is above half of the old capacity makes requests late, as if servers were lost unseen.
    for (let n = 0; n < 60; n++) {
      const load = allowedLoad(state, TIMES, OPTIONS)
      const isTooMuch = load > 50
      const seen = {
        load,
        goodput: load,
        queueing: isTooMuch ? 1 : 0.2,
        spent: isTooMuch ? 4 : 0.2,
      }
      state = learn(state, verdict(seen), at)
    }
    expect(allowedLoad(state, TIMES, OPTIONS)).toBeLessThan(65)
  })

  it('takes what a try has confirmed for the capacity', ({ expect }) => {
    let state: SocLqrState = { ...KNOWN, reach: { ...KNOWN.reach, stage: 1 } }
    for (let n = 0; n < 3; n++) state = learn(state, verdict({ load: 110 }), ground())
    expect(state.capacity.rate).toBeCloseTo(110, 9)
  })
})

describe('growth, while the capacity is not known', () => {
  const COLD: SocLqrState = {
    ...FRESH_STATE,
    tiers: [TIER],
    reach: { ...FRESH_STATE.reach, load: 100 },
  }
  const pressed = (state: SocLqrState): SocLqrState => ({
    ...state,
    interval: { ...NO_INTERVAL, refusingS: 10 },
  })
  const onSessions = ground({ tick: { ...SECOND, onSessions: true } })

  it('goes on under pressure and without queueing, on both kinds of route', ({ expect }) => {
    for (const at of [ground(), onSessions]) {
      const allowed = allowedLoad(learn(pressed(COLD), verdict({}), at), TIMES, OPTIONS)
      expect(allowed).toBeGreaterThan(100)
      expect(learn(COLD, verdict({}), at).reach.load).toBe(100)
    }
  })

  it('ends on a session route where late requests queue: the goodput is the capacity then', ({
    expect,
  }) => {
    const { capacity, settling } = learn(
      pressed(COLD),
      verdict({ queueing: 3, spent: 4, goodput: 80 }),
      onSessions,
    )
    expect(capacity.rate).toBe(80)
    expect(settling).toBe(1)
  })

  it('ends where clients leave, with what was carried before: their work is not in the goodput', ({
    expect,
  }) => {
    const carried = { ...COLD, reach: { ...COLD.reach, carried: 70 } }
    const left = verdict({ queueing: 3, spent: 9, goodput: 5, givenUp: 20 })
    for (const at of [ground(), onSessions]) expect(learn(carried, left, at).capacity.rate).toBe(70)
  })
})

describe('slow service that was taken for a queue', () => {
  it('shows by idle servers: clearly less is served, and responses take as long as before', ({
    expect,
  }) => {
    const tiers = [{ ...interval(6, 100), meanS: 1 }]
    const late = { responseS: 6, spent: 20, queueing: 5 }
    const trimmed = { ...KNOWN.point, spare: 0.6, trim: 0.3 }
    const curve = { ...NO_CURVE, slices: [{ slice: 20, weight: 4, load: 0.41, spent: 20 }] }
    let state: SocLqrState = { ...KNOWN, tiers, point: trimmed, curve, settling: 1 }
    state = { ...learn(state, verdict({ ...late, goodput: 100 }), ground()), tiers }
    expect(state.tiers[0]!.meanS).toBe(1)
    let intervals = 0
    for (; state.tiers[0]!.meanS === 1 && intervals < 10; intervals++)
      state = learn(state, verdict({ ...late, goodput: 40 }), ground({ closed: tiers }))
    expect(state.tiers[0]!.meanS).toBeCloseTo(6, 9)
    // A single interval may be chance.
    expect(intervals).toBeGreaterThan(1)
    expect(intervals).toBeLessThan(5)
    expect(state.capacity.rate).toBeGreaterThanOrEqual(90)
    // What was trimmed because of it was for nothing.
    expect(state.point.trim).toBeGreaterThanOrEqual(1)
    expect(allowedLoad(state, TIMES, OPTIONS)).toBeGreaterThan(0.6 * 100)
  })
})
