import { describe, it } from 'vitest'
import type { Decision, Learner, Sample } from '../../src/learners/learner-interface.ts'
import { pac, pacProbability } from '../../src/learners/pac/learner.ts'
import { tbac } from '../../src/learners/tbac/learner.ts'
import { classTick, type Tick, tick, tierTick, times } from '../support/samples.ts'

const classes = [classTick({ key: 'shop/all' })]

/** Ten equal seconds: one interval of both policies. */
function interval(learner: Learner, given: Tick | Sample): Decision {
  const sample = 'ages' in given ? given : tick({ targetMs: 5000, classes, ...given })
  for (let second = 1; second < 10; second++) learner.update(sample)
  return learner.update(sample)
}

describe('TBAC (Bartolini et al. 2009, §6.1)', () => {
  it('refuses new sessions for 10 s after an interval whose p95 is over RT_SLA', ({ expect }) => {
    const learner = tbac.create({})
    const slow = interval(learner, { timesMs: times(20, 6000) })
    expect(slow).toEqual({ limit: null, reason: 'slow', probabilities: { 'shop/all': 0 } })
    for (let second = 1; second < 10; second++) {
      const meanwhile = learner.update(tick({ targetMs: 5000, classes, timesMs: times(20, 100) }))
      expect(meanwhile.probabilities).toEqual({ 'shop/all': 0 })
    }
    const fast = learner.update(tick({ targetMs: 5000, classes, timesMs: times(20, 100) }))
    expect(fast).toEqual({ limit: null, reason: 'fast', probabilities: { 'shop/all': 1 } })
  })

  it('refuses when one tier of several is over the threshold', ({ expect }) => {
    const tiers = [
      tierTick({ name: 'page', targetMs: 5000, timesMs: times(20, 100) }),
      tierTick({ name: 'database', targetMs: 5000, timesMs: times(20, 6000) }),
    ]
    expect(interval(tbac.create({}), tick({ tiers, classes })).reason).toBe('slow')
  })

  it('uses all requests of the interval: 40 of 200 over the target in one of ten seconds count', ({
    expect,
  }) => {
    const learner = tbac.create({})
    learner.update(tick({ targetMs: 5000, classes, timesMs: times(40, 6000) }))
    for (let second = 2; second < 10; second++) {
      learner.update(tick({ targetMs: 5000, classes, timesMs: times(20, 100) }))
    }
    const last = tick({ targetMs: 5000, classes, timesMs: times(20, 100) })
    expect(learner.update(last).reason).toBe('slow')
  })

  it('admits again after an interval without samples, once no request is in flight', ({
    expect,
  }) => {
    const learner = tbac.create({})
    interval(learner, { timesMs: times(20, 6000) })
    expect(interval(learner, { inFlight: 3 }).probabilities).toEqual({ 'shop/all': 0 })
    const empty = interval(learner, { inFlight: 0 })
    expect(empty).toEqual({ limit: null, reason: 'no-data', probabilities: { 'shop/all': 1 } })
  })
})

describe('PAC (Bartolini et al. 2009, §6.2, eq. 1)', () => {
  it('admits all up to 3 s, none above 5 s, and half at 4 s', ({ expect }) => {
    expect(pacProbability(3000, 3000, 5000)).toBe(1)
    expect(pacProbability(4000, 3000, 5000)).toBe(0.5)
    expect(pacProbability(5000, 3000, 5000)).toBe(0)
    expect(pacProbability(5001, 3000, 5000)).toBe(0)
    expect(pacProbability(0, 3000, 5000)).toBe(1)
  })

  it('takes the smallest p of all tiers: p = min over i', ({ expect }) => {
    const tiers = [
      tierTick({ name: 'page', targetMs: 5000, timesMs: times(100, 100) }),
      tierTick({ name: 'database', targetMs: 5000, timesMs: times(100, 4000) }),
    ]
    const { probabilities, reason } = interval(pac.create({}), tick({ tiers, classes }))
    // 4000 ms lie in a bucket that is 4.4 % wide: 175 ms are 0.09 of the way from 3 to 5 s.
    expect(Math.abs(probabilities!['shop/all']! - 0.5)).toBeLessThan(0.09)
    expect(reason).toBe('steady')
  })

  it('still admits with RT_SLA = 3 s, where the printed RT_low = 3 s would divide by zero', ({
    expect,
  }) => {
    const sample = tick({ targetMs: 3000, classes, timesMs: times(100, 2000) })
    const { probabilities } = interval(pac.create({}), sample)
    // RT_low is 0.6 of the target: (3000 − 2000) / (3000 − 1800) = 0.83, within a bucket's width.
    expect(Math.abs(probabilities!['shop/all']! - 0.83)).toBeLessThan(0.08)
  })

  it('counts failures as slow: with 10 of 100 failed, the 95th percentile admits no new session', ({
    expect,
  }) => {
    expect(interval(pac.create({}), { timesMs: times(90, 100), failed: 10 }).reason).toBe('slow')
  })
})
