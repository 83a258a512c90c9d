import { describe, it } from 'vitest'
import { poisson } from '../../../lab/clients/arrivals.ts'
import { constantRate } from '../../../lab/clients/rates.ts'
import { exponential } from '../../../lab/engine/distributions.ts'
import { plantR } from '../../../lab/gate/plants.ts'
import { runPlant } from '../../../lab/gate/run-plant.ts'
import type { Learner } from '../../../src/learners/learner-interface.ts'
import { BUILT_IN_MODEL, gainFor, lqrLimit } from '../../../src/learners/lqr/law.ts'
import { LqrLearner } from '../../../src/learners/lqr/learner.ts'
import { LQR_OPTIONS } from '../../../src/learners/lqr/options.ts'
import { createLearner } from '../../../src/learners/registry.ts'
import { resolveOptions } from '../../../src/lib/option-table.ts'
import { byDraws } from '../../support/admission-by-draws.ts'
import { type Tick, tick, times } from '../../support/samples.ts'

const o = resolveOptions(LQR_OPTIONS)
/** θ of §III: 1000 tokens/s, of which 100 are a request, 400 ms and 9.6 requests/s. */
const THETA = { rate: 10, responseMs: 400, goodput: 9.6 }
const FIXED = { name: 'fixed', options: { limit: 10.4 } }

/** Ten equal seconds: one interval. */
function interval(learner: LqrLearner, given: Tick) {
  const sample = tick(given)
  for (let second = 1; second < 10; second++) learner.update(sample)
  return learner.update(sample)
}

describe('the control law (Mathur et al. 2009, eq. 6 and 10)', () => {
  const gain = gainFor(BUILT_IN_MODEL, o)!

  it('is 1000 − 0.81797 (R − 400) + 10.27376 (9.6 − Λ) tokens/s around θ', ({ expect }) => {
    const tokens = (responseMs: number, goodput: number) =>
      100 * lqrLimit(gain, { responseMs, goodput }, THETA, o)
    expect(tokens(400, 9.6)).toBeCloseTo(1000, 9)
    // 100 ms more: 81.797 tokens/s less. One request/s less goodput: 10.274 tokens/s more.
    expect(tokens(500, 9.6)).toBeCloseTo(1000 - 81.797, 2)
    expect(tokens(400, 8.6)).toBeCloseTo(1000 + 10.27376, 4)
  })

  it('is clamped to 50 and 1150 tokens/s: R of 1743 ms and more would bring it to 0', ({
    expect,
  }) => {
    expect(lqrLimit(gain, { responseMs: 1743, goodput: 9.6 }, THETA, o)).toBe(0.5)
    expect(lqrLimit(gain, { responseMs: 1e6, goodput: 9.6 }, THETA, o)).toBe(0.5)
    expect(lqrLimit(gain, { responseMs: 1, goodput: 0 }, THETA, o)).toBe(11.5)
  })

  it('is the same in any unit: θ a hundred times larger gives a hundred times the limit', ({
    expect,
  }) => {
    const seen = { responseMs: 520, goodput: 9 }
    const large = { rate: 1000, responseMs: 400, goodput: 960 }
    const one = lqrLimit(gain, seen, THETA, o)
    expect(lqrLimit(gain, { responseMs: 520, goodput: 900 }, large, o)).toBeCloseTo(100 * one, 9)
  })

  it('acts as Table I says: slower means less, lost goodput means more', ({ expect }) => {
    const at = (responseMs: number, goodput: number) =>
      lqrLimit(gain, { responseMs, goodput }, THETA, o)
    expect(at(450, 9.6)).toBeLessThan(10)
    expect(at(400, 9)).toBeGreaterThan(10)
  })
})

describe('the lqr learner', () => {
  const byHand = { rate: 10, responseMs: 400, goodput: 9.6 }

  it('filters with α on the old value (eq. 2): 400 ms and then 800 ms are 600 ms', ({ expect }) => {
    const learner = new LqrLearner(byHand)
    interval(learner, { offered: 18, admitted: 10, goodput: 10, timesMs: times(10, 400) })
    interval(learner, { offered: 18, admitted: 5, goodput: 5, timesMs: times(5, 800) })
    expect(learner.state.filtered!.responseMs).toBeCloseTo(0.5 * 400 + 0.5 * 800, 6)
    expect(learner.state.filtered!.goodput).toBeCloseTo(0.4 * 10 + 0.6 * 5, 6)
  })

  it('decides every 10 s and keeps its limit in between', ({ expect }) => {
    const learner = new LqrLearner(byHand)
    const { limit } = interval(learner, { offered: 18, admitted: 9.6, timesMs: times(10, 500) })
    expect(limit).toBeLessThan(10)
    expect(learner.update(tick({ offered: 18, timesMs: times(10, 5000) })).limit).toBe(limit)
  })

  it('keeps its limit in an interval without completed requests: R is undefined', ({ expect }) => {
    const learner = new LqrLearner(byHand)
    const { limit } = interval(learner, { offered: 18, admitted: 9.6, timesMs: times(10, 500) })
    expect(interval(learner, { offered: 18 })).toEqual({ limit, reason: 'no-data' })
  })

  it('ignores a low goodput if traffic is low (§III-C, case b)', ({ expect }) => {
    const learner = new LqrLearner(byHand)
    interval(learner, { offered: 2, timesMs: times(2, 400) })
    const { limit } = interval(learner, { offered: 2, timesMs: times(2, 400) })
    expect(limit).toBeCloseTo(10, 9)
  })

  it('keeps its floor when the response time of θ can no longer be reached (Fig. 3)', ({
    expect,
  }) => {
    const learner = new LqrLearner(byHand)
    let limit: number | null = null
    for (let run = 0; run < 50; run++) {
      const served = Math.min(4, limit ?? 10)
      const timesMs = times(Math.max(1, Math.round(served)), 60_000)
      limit = interval(learner, { offered: 18, admitted: served, goodput: served, timesMs }).limit
    }
    expect(limit).toBeCloseTo(0.05 * 10, 9)
  })

  it('gives the reason unidentified and uses a built-in gain until traffic varies', ({
    expect,
  }) => {
    const learner = new LqrLearner(byHand)
    const steady = { offered: 18, admitted: 10, goodput: 10, timesMs: times(10, 400) }
    for (let run = 0; run < 50; run++) interval(learner, steady)
    expect(interval(learner, steady).reason).toBe('unidentified')
  })

  it('scales its operating point by ρ when capacity is announced', ({ expect }) => {
    const learner = new LqrLearner()
    const { limit } = interval(learner, { offered: 20, timesMs: times(20, 100) })
    const event = { ...tick({ offered: 20 }), capacity: [{ before: 20, after: 14 }] }
    const scaled = learner.update(event)
    expect(scaled.reason).toBe('capacity')
    expect(scaled.limit).toBeCloseTo(limit! * 0.7, 9)
    expect(learner.state.power[0]!.rate).toBeCloseTo(14, 9)
  })

  it('grows 1.25-fold beyond the best rate seen while no slightly higher load was seen', ({
    expect,
  }) => {
    const learner = new LqrLearner()
    const first = interval(learner, { offered: 20, timesMs: times(20, 100) })
    expect(first).toEqual({ limit: 25, reason: 'growing' })
  })

  it('moves over the whole range for 9000 s with excite (§III-A)', ({ expect }) => {
    const learner = new LqrLearner({ ...byHand, excite: true })
    const limits: number[] = []
    for (let run = 0; run < 900; run++) {
      const admitted = limits.at(-1) ?? 10
      const seen = { offered: 18, admitted, goodput: admitted, timesMs: times(10, 400) }
      limits.push(interval(learner, seen).limit!)
    }
    expect(Math.min(...limits)).toBeCloseTo(0.5, 2)
    expect(Math.max(...limits)).toBeCloseTo(11.5, 2)
    // 300 intervals are one cycle.
    expect(limits[10]).toBeCloseTo(limits[310]!, 9)
    // The fit is over the whole sweep: nothing of it was forgotten.
    expect(learner.state.goodputFit.rows).toBeGreaterThan(500)
  })
})

describe('a queue that loses half its speed (Mathur et al. 2009, Fig. 4)', () => {
  const OFFERED = 18

  /** Like the paper's test bed: capacity 13 requests/s, 18 offered. Mean response of the last 20 minutes. */
  function meanAfterLossMs(learner: Pick<Learner, 'update'>, seed: number): number {
    const { trace } = runPlant({
      plant: plantR({
        servers: 4,
        service: exponential({ mean: 308 }),
        arrivals: poisson(constantRate(OFFERED)),
        sla: { percentile: 95, targetMs: 2000, windowMs: 60_000 },
        changes: [{ atMs: 1_200_000, speed: 0.5 }],
      }),
      policy: byDraws(learner, OFFERED),
      seed,
      seconds: 3600,
    })
    const tiers = trace.slice(2400).flatMap(({ sample }) => sample.tiers)
    const sumUs = tiers.reduce((sum, { latencyUs }) => sum + latencyUs, 0)
    const completed = tiers.reduce((sum, tier) => sum + tier.completed, 0)
    return sumUs / completed / 1000
  }

  it('keeps response times five times lower than a fixed 10.4 requests/s', ({ expect }) => {
    for (const seed of [1, 2, 3]) {
      const adaptive = meanAfterLossMs(new LqrLearner(THETA), seed)
      const fixed = meanAfterLossMs(createLearner(FIXED).learner, seed)
      expect(fixed / adaptive).toBeGreaterThan(5)
    }
  })
})
