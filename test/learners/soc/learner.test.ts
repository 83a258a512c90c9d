import { describe, it } from 'vitest'
import type { Decision } from '../../../src/learners/learner-interface.ts'
import { SocLearner } from '../../../src/learners/soc/learner.ts'
import { type Tick, tick, tierTick, times } from '../../support/samples.ts'

/** Sixty equal seconds: one iteration. All responses take the same time. */
function iteration(learner: SocLearner, given: Tick): Decision {
  const sample = tick({ targetMs: 1000, ...given })
  for (let second = 1; second < 60; second++) learner.update(sample)
  return learner.update(sample)
}

const at = (rate: number, ms: number): Tick => ({ offered: rate, timesMs: times(rate, ms) })

/** Two iterations make a slice reliable. */
function taught(...known: readonly (readonly [number, number])[]): SocLearner {
  const learner = new SocLearner({ benchMs: 100 })
  for (const [rate, ms] of known) {
    iteration(learner, at(rate, ms))
    iteration(learner, at(rate, ms))
  }
  return learner
}

describe('normal mode (Bartolini et al. 2009, §4.1)', () => {
  it('sets no limit until the first estimate: one pair is not enough', ({ expect }) => {
    const learner = new SocLearner()
    expect(iteration(learner, at(20, 200))).toEqual({ limit: null, reason: 'cold' })
    expect(learner.state.expected).toBe(20)
    expect(iteration(learner, at(20, 200)).limit).not.toBeNull()
  })

  it('predicts arrivals by λ̂(n) = 0.5 λ(n−1) + 0.5 λ̂(n−1): 20 and then 40 are 30', ({ expect }) => {
    const learner = new SocLearner()
    iteration(learner, at(20, 200))
    iteration(learner, at(40, 200))
    expect(learner.state.expected).toBe(30)
  })

  it('reads the limit off the curve where it meets the target', ({ expect }) => {
    // 1000 ms lies between 20/s and 29/s.
    const learner = taught([29, 1100], [20, 400])
    const [low, high] = learner.state.tiers[0]!.slices
    const part = (1000 - low!.responseMs) / (high!.responseMs - low!.responseMs)
    expect(learner.state.limit).toBeCloseTo(low!.rate + part * (high!.rate - low!.rate), 9)
    expect(learner.state.reason).toBe('steady')
  })

  it('takes the smallest limit of all tiers', ({ expect }) => {
    const learner = new SocLearner({ benchMs: 100 })
    for (const [rate, ms] of [
      [29, 1100],
      [29, 1100],
      [20, 400],
      [20, 400],
    ] as const) {
      const page = tierTick({ name: 'page', timesMs: times(rate, 50) })
      const database = tierTick({ name: 'database', timesMs: times(rate, ms) })
      iteration(learner, { offered: rate, tiers: [page, database] })
    }
    expect(learner.state.limit).toBeCloseTo(taught([29, 1100], [20, 400]).state.limit!, 9)
  })

  it('follows a target that changes: the same curve gives another limit', ({ expect }) => {
    const learner = taught([29, 1100], [20, 400])
    expect(learner.state.limit).toBeLessThan(28)
    expect(iteration(learner, { ...at(20, 400), targetMs: 1400 }).limit).toBeGreaterThan(30)
  })

  it('decides once in 60 s, whatever the length of the ticks', ({ expect }) => {
    const learner = new SocLearner()
    for (let half = 0; half < 240; half++) {
      learner.update(tick({ lengthMs: 500, offered: 20, timesMs: times(10, 200), targetMs: 1000 }))
    }
    const whole = new SocLearner()
    iteration(whole, at(20, 200))
    iteration(whole, at(20, 200))
    for (const name of ['limit', 'expected', 'tiers'] as const) {
      expect(learner.state[name]).toEqual(whole.state[name])
    }
  })
})

describe('bounded extrapolation (ours: as printed, the extension of a flat curve has no bound)', () => {
  it('goes to 1.5 times the largest reliable rate, with the reason growing', ({ expect }) => {
    const learner = taught([20, 110])
    expect(learner.state.limit).toBeCloseTo(30, 9)
    expect(learner.state.reason).toBe('growing')
  })

  it('stops at the largest reliable rate as soon as an iteration is over the target', ({
    expect,
  }) => {
    const learner = taught([20, 110])
    const { limit } = iteration(learner, at(30, 3000))
    expect(limit).toBeCloseTo(20, 9)
  })

  it('keeps a floor if no rate meets the target', ({ expect }) => {
    const learner = new SocLearner({ benchMs: 2000 })
    for (let k = 0; k < 4; k++) iteration(learner, at(20, 2500))
    expect(learner.state.limit).toBeCloseTo(0.05 * 20, 9)
  })
})

describe('nothing is learned from', () => {
  it('an iteration without completed requests: the limit is kept', ({ expect }) => {
    const learner = taught([20, 110])
    const { limit, tiers } = learner.state
    const decision = iteration(learner, { offered: 20 })
    expect(decision).toMatchObject({ limit, reason: 'no-data' })
    expect(learner.state.tiers).toEqual(tiers)
  })

  it('a backlog that drains: its times belong to requests admitted earlier', ({ expect }) => {
    const learner = taught([20, 110])
    const { tiers } = learner.state
    iteration(learner, { offered: 5, goodput: 20, timesMs: times(20, 9000) })
    expect(learner.state.tiers).toEqual(tiers)
  })

  it('a single outlier', ({ expect }) => {
    const learner = taught([20, 110])
    const { slices } = learner.state.tiers[0]!
    iteration(learner, at(20, 9000))
    expect(learner.state.tiers[0]!.slices).toEqual(slices)
  })

  it('the curve of another percentile', ({ expect }) => {
    const learner = taught([20, 110])
    iteration(learner, { ...at(20, 110), percentile: 50 })
    expect(learner.state.tiers[0]!.slices).toHaveLength(1)
    expect(learner.state.tiers[0]!.slices[0]!.count).toBe(1)
  })
})

describe('flash-crowd mode (§4.2)', () => {
  /** Admission by probability, p = min{1, λ* / λ̂}, as in the paper. The crowd comes from second 0 on. */
  function crowd(learner: SocLearner, rate: number, seconds: number) {
    const seen: { second: number; decision: Decision; admitted: number }[] = []
    let decision: Decision = learner.update(tick(at(20, 110)))
    for (let second = 1; second <= seconds; second++) {
      const p = Math.min(1, (decision.limit ?? rate) / (learner.state.expected ?? rate))
      const admitted = Math.round(rate * p)
      decision = learner.update(tick({ offered: rate, admitted, timesMs: times(admitted, 110) }))
      seen.push({ second, decision, admitted })
    }
    return seen
  }

  it('starts on a route that only knows 20/s after λ*T = 1800 admissions of a tenfold crowd: in 9 s', ({
    expect,
  }) => {
    const seen = crowd(taught([20, 110]), 200, 30)
    const first = seen.find(({ decision }) => decision.reason === 'surge')!
    // 20 in the calm second before, then 200 a second: 1820 > 1800 in the ninth.
    expect(first.second).toBe(9)
  })

  it('starts in the same second where the edge holds λ*, although only λ* is admitted', ({
    expect,
  }) => {
    const learner = taught([20, 110])
    let second = 0
    learner.update(tick(at(20, 110)))
    const held = tick({ offered: 200, admitted: 30, timesMs: times(30, 110) })
    let decision: Decision
    do {
      decision = learner.update(held)
      second++
    } while (decision.reason !== 'surge' && second < 60)
    expect(second).toBe(9)
    // The window is as short as in the paper: λ̂_in is that of the surge.
    expect(decision.arrivals).toBeCloseTo(200, 0)
  })

  it('then admits λ* of it: p = 30/200 from the next tick on', ({ expect }) => {
    const seen = crowd(taught([20, 110]), 200, 30)
    const after = seen.slice(12).map(({ admitted }) => admitted)
    expect(Math.max(...after)).toBeLessThanOrEqual(33)
    expect(Math.min(...after)).toBeGreaterThanOrEqual(30)
  })

  it('learns nothing', ({ expect }) => {
    const learner = taught([20, 110])
    const { tiers } = learner.state
    crowd(learner, 200, 60)
    expect(learner.state.surge).toBe(true)
    expect(learner.state.tiers).toEqual(tiers)
  })

  it('ends when the admitted rate of the window is below λ* again, and keeps its predicted arrival rate', ({
    expect,
  }) => {
    const learner = taught([20, 110])
    const seen = crowd(learner, 200, 90)
    const last = seen.findLast(({ decision }) => decision.reason === 'surge')!
    expect(last.second).toBeLessThan(75)
    expect(learner.state.surge).toBe(false)
    expect(learner.state.expected).toBeCloseTo(200, 0)
  })
})

describe('capacity that changes (§5.3)', () => {
  const known = [
    [29, 1100],
    [20, 400],
  ] as const

  it('scales the limit at once: 14 of 20 servers give 0.7 of it', ({ expect }) => {
    const learner = taught(...known)
    const before = learner.state.limit!
    const sample = { ...tick(at(20, 400)), capacity: [{ before: 20, after: 14 }] }
    expect(learner.update(sample)).toMatchObject({ limit: before * 0.7, reason: 'capacity' })
    // The curve agrees: an iteration later the limit is still the same.
    const later = iteration(learner, at(14, 400)).limit!
    expect(Math.abs(later / (before * 0.7) - 1)).toBeLessThan(0.02)
  })

  it('is undone when the servers come back', ({ expect }) => {
    const learner = taught(...known)
    const before = learner.state.limit!
    learner.update({ ...tick(at(20, 400)), capacity: [{ before: 20, after: 14 }] })
    const back = learner.update({ ...tick(at(20, 400)), capacity: [{ before: 14, after: 20 }] })
    expect(back.limit).toBeCloseTo(before, 9)
  })

  it('is detected without an announcement: three iterations of four times the response time', ({
    expect,
  }) => {
    const learner = taught([20, 400], [22, 420], [24, 500])
    iteration(learner, at(20, 1900))
    iteration(learner, at(20, 1900))
    const { reason, limit } = iteration(learner, at(20, 1900))
    expect(reason).toBe('capacity')
    expect(limit).toBeLessThan(20)
  })
})
