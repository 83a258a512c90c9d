import { describe, it } from 'vitest'
import { MulticlassAimdLearner } from '../../../src/learners/aimd/multiclass.ts'
import type { Sample } from '../../../src/learners/learner-interface.ts'
import { classTick, tick, times } from '../../support/samples.ts'

const FAST = 100
const SLOW = 9000
const STEADY = 800

/** Gold has a higher value than bronze. Both are offered 100/s and answer within the given milliseconds. */
function seconds(goldMs: number | null, bronzeMs: number | null): Sample {
  const of = (key: string, value: number, ms: number | null) =>
    classTick({ key, value, offered: 100, timesMs: ms === null ? [] : times(100, ms) })
  return tick({
    offered: 200,
    classes: [of('shop/bronze', 1, bronzeMs), of('shop/gold', 10, goldMs)],
  })
}

function rates(learner: MulticlassAimdLearner): Record<string, number | null> {
  return Object.fromEntries(learner.state.classes.map(({ key, rate }) => [key, rate]))
}

/** Both classes known at 100/s. */
function started(options = {}): MulticlassAimdLearner {
  const learner = new MulticlassAimdLearner({ smoothing: 0, headroom: 1, ...options })
  learner.update(seconds(STEADY, STEADY))
  return learner
}

describe('SEDA with classes (Welsh and Culler 2003, §3.3)', () => {
  it('divides less valuable classes by adjlo_d = 10 and leaves the slow class unchanged', ({
    expect,
  }) => {
    const learner = started()
    expect(learner.update(seconds(SLOW, STEADY)).reason).toBe('slow')
    expect(rates(learner)).toEqual({ 'shop/gold': 100, 'shop/bronze': 10 })
  })

  it('gives probabilities: 10/s of 100/s offered is 0.1', ({ expect }) => {
    const { limit, probabilities } = started().update(seconds(SLOW, STEADY))
    expect(limit).toBeNull()
    expect(probabilities).toEqual({ 'shop/gold': 1, 'shop/bronze': 0.1 })
  })

  it('cuts the class itself at the 20th run with all less valuable ones at the minimum (lc_thresh)', ({
    expect,
  }) => {
    const learner = started()
    // 100 → 10 → 1 → 0.1 → 0.05: after four runs bronze is at rate_min, and lc starts to count.
    for (let run = 1; run <= 4; run++) learner.update(seconds(SLOW, STEADY))
    expect(rates(learner)['shop/bronze']).toBe(0.05)
    for (let run = 1; run <= 19; run++) learner.update(seconds(SLOW, STEADY))
    expect(rates(learner)['shop/gold']).toBe(100)
    learner.update(seconds(SLOW, STEADY))
    expect(rates(learner)['shop/gold']).toBeCloseTo(100 / 1.2, 9)
    learner.update(seconds(SLOW, STEADY))
    expect(rates(learner)['shop/gold']).toBeCloseTo(100 / 1.44, 9)
  })

  it('starts lc again after an increase', ({ expect }) => {
    const learner = started()
    for (let run = 1; run <= 23; run++) learner.update(seconds(SLOW, STEADY))
    learner.update(seconds(FAST, STEADY))
    const { 'shop/gold': before } = rates(learner)
    learner.update(seconds(SLOW, STEADY))
    expect(rates(learner)['shop/gold']).toBe(before)
  })

  it('cuts the least important class at once: nobody can give way for it', ({ expect }) => {
    const learner = started()
    learner.update(seconds(STEADY, SLOW))
    expect(rates(learner)).toEqual({ 'shop/gold': 100, 'shop/bronze': 100 / 1.2 })
  })

  it('blocks the increase of less valuable classes in the next run only', ({ expect }) => {
    const learner = started()
    learner.update(seconds(SLOW, FAST))
    expect(rates(learner)['shop/bronze']).toBe(10)
    learner.update(seconds(STEADY, FAST))
    expect(rates(learner)['shop/bronze']).toBeGreaterThan(10.1)
  })

  it('keeps the block while the class has no data', ({ expect }) => {
    const learner = started()
    learner.update(seconds(SLOW, null))
    learner.update(seconds(STEADY, FAST))
    expect(rates(learner)['shop/bronze']).toBe(10)
    learner.update(seconds(STEADY, FAST))
    expect(rates(learner)['shop/bronze']).toBeGreaterThan(10.1)
  })

  it("also cuts the slow class at once with cutAtOnce, as SEDA's released code does", ({
    expect,
  }) => {
    const learner = started({ cutAtOnce: true })
    learner.update(seconds(SLOW, STEADY))
    expect(rates(learner)).toEqual({ 'shop/gold': 100 / 1.2, 'shop/bronze': 10 })
  })

  it('compares each class with its own target', ({ expect }) => {
    const learner = new MulticlassAimdLearner()
    const classes = [
      classTick({ key: 'shop/gold', value: 10, targetMs: 200, timesMs: times(50, 500) }),
      classTick({ key: 'shop/bronze', value: 1, targetMs: 2000, timesMs: times(50, 500) }),
    ]
    learner.update(tick({ classes }))
    learner.update(tick({ classes }))
    expect(rates(learner)).toEqual({ 'shop/gold': 10 / 1.2, 'shop/bronze': 2 })
  })

  it('admits all requests until the first ones complete', ({ expect }) => {
    const { reason, probabilities } = new MulticlassAimdLearner().update(seconds(null, null))
    expect(reason).toBe('cold')
    expect(probabilities).toEqual({ 'shop/gold': 1, 'shop/bronze': 1 })
  })
})
