import fc from 'fast-check'
import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { FULL_QUALITY, qualityAfter } from '../../src/coordinator/quality/law.ts'
import { pairsAfter, stepCosts } from '../../src/coordinator/quality/step-costs.ts'
import type { RouteFeedback } from '../../src/protocol/feedback.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

const QUALITY = { min: 0.2, steps: 4 }

describe('SEDA’s controller of quality', () => {
  it('divides by 1.2 while the response time is over the target, down to the lowest', ({
    expect,
  }) => {
    let factor = FULL_QUALITY
    const seen: number[] = []
    for (let i = 0; i < 12; i++) {
      factor = qualityAfter(factor, 2000, 1000, 0.2)
      seen.push(factor.quality)
    }
    expect(seen[0]).toBeCloseTo(1 / 1.2)
    expect(seen[1]).toBeCloseTo(1 / 1.44)
    expect(seen.at(-1)).toBe(0.2)
  })

  it('rises slowly when the response time is less than half of the target, and not before', ({
    expect,
  }) => {
    const low = { quality: 0.5, currentMs: 600 }
    expect(qualityAfter(low, 600, 1000, 0.2).quality).toBe(0.5)
    const rising = qualityAfter({ quality: 0.5, currentMs: 100 }, 100, 1000, 0.2)
    expect(rising.quality).toBeGreaterThan(0.5)
    expect(rising.quality).toBeLessThan(0.53)
  })

  it('waits for answers, and rises when nobody asks', ({ expect }) => {
    const low = { quality: 0.5, currentMs: 3000 }
    expect(qualityAfter(low, null, 1000, 0.2, false)).toEqual(low)
    expect(qualityAfter(low, null, 1000, 0.2).quality).toBeGreaterThan(0.5)
  })

  it('stays between the lowest and full quality, whatever it measures', ({ expect }) => {
    const times = fc.array(fc.option(fc.double({ min: 0, max: 1e6, noNaN: true })), {
      maxLength: 80,
    })
    fc.assert(
      fc.property(times, (measured) => {
        let factor = FULL_QUALITY
        for (const ms of measured) {
          factor = qualityAfter(factor, ms, 1000, 0.2)
          expect(factor.quality).toBeGreaterThanOrEqual(0.2)
          expect(factor.quality).toBeLessThanOrEqual(1)
        }
      }),
    )
  })
})

describe('what a step saves', () => {
  it('is what the quality says, until it is measured', ({ expect }) => {
    expect(stepCosts(QUALITY, [])).toEqual([1, 0.8, 0.6, 0.4, 0.2].map((q) => expect.closeTo(q)))
  })

  it('is the ratio of response times under the same load', ({ expect }) => {
    const seen = { 0: { requests: 100, us: 100_000 }, 1: { requests: 50, us: 25_000 } }
    const costs = stepCosts(QUALITY, pairsAfter([], QUALITY, seen))
    expect(costs[1]).toBeCloseTo(0.5)
    expect(costs[2]).toBeCloseTo(0.5 * 0.75)
  })

  it('is not believed from a few requests, or if it is negative', ({ expect }) => {
    const few = { 0: { requests: 5, us: 5000 }, 1: { requests: 5, us: 1000 } }
    expect(stepCosts(QUALITY, pairsAfter([], QUALITY, few))[1]).toBeCloseTo(0.8)
    const slower = { 0: { requests: 100, us: 100_000 }, 1: { requests: 100, us: 300_000 } }
    expect(stepCosts(QUALITY, pairsAfter([], QUALITY, slower))[1]).toBe(1)
  })
})

/** A coordinator with a fixed limit of 50 requests/s of full quality, and its ticks. */
function coordinatorOf(limit = 50) {
  const core = new CoordinatorCore()
  const setup = setupOf({
    learner: { name: 'fixed', options: { limit } },
    routes: { shop: { granularity: 'request', quality: QUALITY } },
  })
  let seq = 0
  const second = (offered: number, timeMs: number) => {
    const toMs = 1_800_000_000_000 + seq * 1000
    const served = Math.min(offered, 200)
    const counts = {
      shop: {
        default: {
          ...{ offered, admitted: served, requests: served, served },
          latency: histogramOf(Array.from({ length: served }, () => timeMs)),
          latencyUs: served * timeMs * 1000,
        },
      },
    }
    core.handle(feedbackOf(counts, { seq: seq++, toMs, ...(seq === 1 ? { setup } : {}) }), toMs)
    return core.plan!
  }
  return { core, second }
}

describe('a route that can degrade', () => {
  it('has full quality while its load fits', ({ expect }) => {
    const { second } = coordinatorOf()
    for (let i = 0; i < 5; i++) second(40, 100)
    expect(second(40, 100).routes.shop!.quality).toMatchObject({
      value: 1,
      step: 0,
      of: 4,
      lowest: 0.2,
    })
  })

  it('goes at once to the quality at which the offered load fits, and refuses nobody', ({
    expect,
  }) => {
    const { second } = coordinatorOf()
    second(40, 100)
    const { quality, classes } = second(80, 100).routes.shop!
    expect(quality).toMatchObject({ step: 2, value: 0.6 })
    expect(classes.default!.probability).toBe(1)
  })

  it('refuses only when the lowest quality is still too much', ({ expect }) => {
    const { second } = coordinatorOf()
    second(40, 100)
    let plan = second(1000, 100)
    for (let i = 0; i < 20; i++) plan = second(1000, 100)
    const { quality, classes, limit } = plan.routes.shop!
    expect(quality).toMatchObject({ step: 4, value: 0.2 })
    expect(limit).toBeCloseTo(250)
    expect(classes.default!.probability).toBeLessThan(0.5)
  })

  it('never refuses while a lower quality is left, for any load', ({ expect }) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 2000 }), { maxLength: 30 }), (loads) => {
        const { second } = coordinatorOf()
        for (const offered of loads) {
          const { quality, classes } = second(offered, 100).routes.shop!
          // The arrival rate is smoothed, so a falling load may still be refused in part for a moment.
          const isRefusing = classes.default!.probability < 0.5
          if (isRefusing && offered >= Math.max(...loads)) expect(quality!.step).toBe(4)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('gets its quality back when the load is gone', ({ expect }) => {
    const { second } = coordinatorOf()
    for (let i = 0; i < 10; i++) second(1000, 100)
    let plan = second(20, 100)
    for (let i = 0; i < 120; i++) plan = second(20, 100)
    expect(plan.routes.shop!.quality!.step).toBe(0)
  })

  it('keeps its state over a restart', ({ expect }) => {
    const { core, second } = coordinatorOf()
    for (let i = 0; i < 10; i++) second(1000, 100)
    const restarted = new CoordinatorCore(JSON.parse(JSON.stringify(core.state)))
    expect(restarted.warning).toBeNull()
    expect(restarted.plan!.routes.shop!.quality).toEqual(core.plan!.routes.shop!.quality)
  })

  it('is measured by its isolates', ({ expect }) => {
    const { core } = coordinatorOf()
    const setup = setupOf({
      learner: { name: 'fixed', options: { limit: 50 } },
      routes: { shop: { granularity: 'request', quality: QUALITY } },
    })
    const shop: RouteFeedback = {
      classes: {},
      ages: [],
      quality: { 0: { requests: 100, us: 1_000_000 }, 1: { requests: 100, us: 300_000 } },
    }
    core.handle({ ...feedbackOf({}, { setup, toMs: 5000 }), routes: { shop } }, 5000)
    expect(core.plan!.routes.shop!.quality!.saved[1]).toBeCloseTo(0.7)
  })
})
