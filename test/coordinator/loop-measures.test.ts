import { describe, it, vi } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { LoopMeasures } from '../../src/coordinator/loop-measures.ts'
import { fixed } from '../../src/learners/fixed/learner.ts'
import type { Sample } from '../../src/learners/learner-interface.ts'
import { isUsableSample } from '../../src/learners/sample.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { planOf } from '../support/requests.ts'
import { tick } from '../support/samples.ts'

const decided = (limit: number | null) => ({ limit, reason: 'steady' as const })

describe('the measures of the loop', () => {
  it('show no dead time where the plan of one tick decides the draws of the next', ({ expect }) => {
    const loop = new LoopMeasures()
    loop.issued(1000, decided(10))
    expect(loop.measure(1000, 1000, 2000)).toEqual({ deadTimeMs: 0, told: 10 })
  })

  it('show the time that plans and reports are under way beyond a tick', ({ expect }) => {
    const loop = new LoopMeasures()
    for (let second = 1; second <= 4; second++) loop.issued(second * 1000, decided(second))
    // Draws of the last second were decided by plans of 2.9 s ago, between those of the limits 1 and 2.
    expect(loop.measure(1500, 1000, 4400)).toEqual({ deadTimeMs: 1900, told: 1.5 })
  })

  it('know what was told of a class that is limited by itself', ({ expect }) => {
    const loop = new LoopMeasures()
    const own = (limit: number) => ({ 'shop/search': { learner: null, decision: decided(limit) } })
    for (let second = 1; second <= 4; second++)
      loop.issued(second * 1000, decided(10), false, own(second))
    expect(loop.measure(1500, 1000, 4400, 'shop/search')).toEqual({ deadTimeMs: 1900, told: 1.5 })
    expect(loop.measure(1500, 1000, 4400)).toEqual({ deadTimeMs: 1900, told: 10 })
    expect(loop.measure(1500, 1000, 4400, 'shop/other')).toEqual({ deadTimeMs: 1900 })
  })

  it('leave the sample usable whatever the noise of sums is', ({ expect }) => {
    const loop = new LoopMeasures()
    loop.issued(0.1 + 0.2, decided(10))
    const measured = loop.measure(0.1 + 0.2, 1000, 1000.3000000000002)
    expect(measured.deadTimeMs).toBe(0)
    expect(isUsableSample({ ...tick(), ...measured })).toBe(true)
  })

  it('are unknown while draws are decided by a plan of calm: reports are left out, so it gets old', ({
    expect,
  }) => {
    const loop = new LoopMeasures()
    loop.issued(1000, decided(10), true)
    loop.issued(5000, decided(10))
    expect(loop.measure(1000, 1000, 6000)).toEqual({})
    expect(loop.measure(5000, 1000, 6000)).toEqual({ deadTimeMs: 0, told: 10 })
  })

  it('are unknown without plans, and after an isolate was cut off', ({ expect }) => {
    const loop = new LoopMeasures()
    loop.issued(1000, decided(10))
    expect(loop.measure(null, 1000, 2000)).toEqual({})
    expect(loop.measure(1000, 1000, 60_000)).toEqual({})
  })

  /** The plan's limit of 10 per second after seconds in which so many of 100 per second were admitted. */
  function correctedAfter(loop: LoopMeasures, seconds: number, admitted: number): number {
    for (let i = 1; i <= seconds; i++) {
      const sample = { ...tick({ granularity: 'session', offered: 100, admitted }), told: 10 }
      loop.observe(sample, 1000 * i)
    }
    return loop.corrected(planOf({ drawLimit: 10 })).drawLimit!
  }

  it('correct on session routes what is admitted against what was told, and forget it without overload', ({
    expect,
  }) => {
    const loop = new LoopMeasures()
    expect(correctedAfter(loop, 40, 15)).toBeLessThan(9)
    expect(correctedAfter(loop, 40, 15)).toBeGreaterThan(6)
    for (let i = 0; i < 200; i++) loop.observe({ ...tick({ offered: 5 }), told: 10 }, 1000 * i)
    expect(loop.corrected(planOf({ drawLimit: 10 })).drawLimit).toBe(10)
    expect(correctedAfter(new LoopMeasures(), 40, 7)).toBeGreaterThan(11)
  })

  it('leave a plan alone that is held as far as chance lets it, and the bursts of an onset', ({
    expect,
  }) => {
    expect(correctedAfter(new LoopMeasures(), 50, 10.4)).toBe(10)
    expect(correctedAfter(new LoopMeasures(), 4, 40)).toBe(10)
  })
})

describe('the plan of a session route', () => {
  /** What is drawn of a limit of 10 per second after a minute in which so many of 100 were admitted. */
  function drawnAfter(admitted: number): number {
    const core = new CoordinatorCore()
    const setup = setupOf({ learner: { name: 'fixed', options: { limit: 10 } } })
    for (let second = 1; second <= 60; second++) {
      const counts = { shop: { default: { offered: 100, admitted, requests: admitted } } }
      const feedback = feedbackOf(counts, { seq: second, toMs: second * 1000, setup })
      const planIssuedAtMs = second * 1000 - 1000
      core.handle(second === 1 ? feedback : { ...feedback, planIssuedAtMs }, second * 1000)
    }
    return core.plan!.drawLimit!
  }

  it('is smaller where the edge admits more than it was told, and larger where it admits less', ({
    expect,
  }) => {
    const told = drawnAfter(10)
    expect(drawnAfter(15)).toBeLessThan(0.9 * told)
    expect(drawnAfter(7)).toBeGreaterThan(1.1 * told)
  })
})

describe('the learner', () => {
  it('gets the dead time: how old the plan was by which the draws of its sample were decided', ({
    expect,
  }) => {
    const learned: Sample[] = []
    const create = vi.spyOn(fixed, 'create').mockReturnValue({
      state: { version: 1 },
      update(sample) {
        learned.push(sample)
        return { limit: 50, reason: 'fixed' }
      },
    })
    const core = new CoordinatorCore()
    const report = (second: number, planIssuedAtMs?: number) => {
      const counts = { shop: { default: { offered: 100, admitted: 50, requests: 50 } } }
      const feedback = feedbackOf(counts, { seq: second, toMs: second * 1000, setup: setupOf() })
      const decidedBy = planIssuedAtMs === undefined ? {} : { planIssuedAtMs }
      core.handle({ ...feedback, ...decidedBy }, second * 1000)
    }
    report(1)
    for (let second = 2; second <= 4; second++) report(second, second * 1000 - 1000)
    // Reports that took 1.3 s more to come.
    report(5, 2700)
    create.mockRestore()
    expect(learned.map(({ deadTimeMs }) => deadTimeMs)).toEqual([undefined, 0, 0, 0, 1300])
  })

  it('gets them in the learner of a class that is limited by itself, too', ({ expect }) => {
    const learned: Sample[] = []
    const create = vi.spyOn(fixed, 'create').mockReturnValue({
      state: { version: 1 },
      update(sample) {
        if (sample.classes[0]?.key === 'shop/search') learned.push(sample)
        return { limit: 50, reason: 'fixed' }
      },
    })
    const targets = [{ fromRate: 0, targetMs: 3000 }]
    const sla = { percentile: 95, targets, windowMs: 60_000 }
    const search = { name: 'search', value: 1, guaranteed: 0, tier: 'search', sla }
    const setup = setupOf({ routes: { shop: { granularity: 'request', classes: [search] } } })
    const core = new CoordinatorCore()
    for (let second = 1; second <= 3; second++) {
      const counts = { shop: { search: { offered: 100, admitted: 50, requests: 50 } } }
      const feedback = feedbackOf(counts, { seq: second, toMs: second * 1000, setup })
      const planIssuedAtMs = second * 1000 - 1000
      core.handle(second === 1 ? feedback : { ...feedback, planIssuedAtMs }, second * 1000)
    }
    create.mockRestore()
    expect(learned.map(({ deadTimeMs, told }) => [deadTimeMs, told])).toEqual([
      [undefined, undefined],
      [0, 50],
      [0, 50],
    ])
  })
})
