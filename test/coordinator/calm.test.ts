import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { LoopMeasures } from '../../src/coordinator/loop-measures.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

/** A coordinator with one sender, and a limit of 50 sessions per second. */
function site(core = new CoordinatorCore()) {
  let seq = 0
  let nowMs = core.state?.issuedAtMs ?? 0
  const report = (perSecond: number, keys: object = {}, everyMs = 1000): Plan => {
    seq++
    nowMs += everyMs
    const count = (perSecond * everyMs) / 1000
    const counts = { offered: count, admitted: count, requests: count, served: count, ...keys }
    const given = { seq, toMs: nowMs, lengthMs: everyMs, setup: setupOf() }
    return core.handle(feedbackOf({ shop: { default: counts } }, given), nowMs).plan!
  }
  const calmAt = (perSecond: number, seconds = 32): Plan => {
    for (let i = 1; i < seconds; i++) report(perSecond)
    return report(perSecond)
  }
  return { core, report, calmAt, now: () => nowMs }
}

describe('calm', () => {
  it('is told after 30 s, with a plan that stays valid until after the next report', ({
    expect,
  }) => {
    const { calmAt, report } = site()
    expect(calmAt(2, 30).calmMs).toBeUndefined()
    report(2)
    const { calmMs, goodForMs } = report(2)
    expect(calmMs).toBe(10_000)
    expect(goodForMs).toBe(12_000)
  })

  it('is the longer, the more room there is: half a second of the limit by old plans, or 2 s', ({
    expect,
  }) => {
    for (const [perSecond, calmMs] of [
      [1, 10_000],
      [5, 5000],
      [10, 2500],
      [25, 2000],
      [27, undefined],
    ] as const)
      expect(site().calmAt(perSecond).calmMs).toBe(calmMs)
  })

  it('ends at once with a crowd, with refusals and with late answers', ({ expect }) => {
    const late = { late: 20, failed: 20 }
    for (const [perSecond, keys] of [
      [200, {}],
      [40, {}],
      [20, late],
    ] as const) {
      const { calmAt, report } = site()
      expect(calmAt(2).calmMs).toBe(10_000)
      expect(report(perSecond, keys).calmMs).toBeUndefined()
    }
  })

  it('ends with an action, with a new setup, and while an operator looks on', ({ expect }) => {
    const { core, calmAt, report, now } = site()
    expect(calmAt(2).calmMs).toBe(10_000)
    core.override([], now())
    expect(core.plan!.calmMs).toBeUndefined()
    expect(calmAt(2).calmMs).toBe(10_000)
    core.command({ stock: { shop: { left: 0, atMs: now() } } }, now())
    expect(core.plan!.calmMs).toBeUndefined()
    core.command({ stock: { shop: { left: 9, atMs: now() + 1 } } }, now())
    expect(calmAt(2).calmMs).toBe(10_000)
    core.isWatched = true
    expect(report(2).calmMs).toBeUndefined()
  })

  it('outlasts the eviction of the coordinator', ({ expect }) => {
    const { core, calmAt } = site()
    calmAt(2)
    const again = site(new CoordinatorCore(structuredClone(core.state)))
    expect(again.calmAt(2, 2).calmMs).toBe(10_000)
  })

  it('does not begin in a time without visitors', ({ expect }) => {
    const { calmAt, report } = site()
    calmAt(2, 20)
    expect(report(0, {}, 60_000).calmMs).toBeUndefined()
    expect(calmAt(2, 5).calmMs).toBeUndefined()
    expect(calmAt(2, 8).calmMs).toBe(10_000)
  })

  it('tells the learner no dead time: plans are old on purpose', ({ expect }) => {
    const loop = new LoopMeasures()
    loop.issued(1000, { limit: 50, reason: 'fixed' }, true)
    expect(loop.measure(1000, 1000, 10_000)).toEqual({})
    expect(loop.measure(1500, 1000, 10_000).deadTimeMs).toBe(7500)
  })

  it('leaves the rates as they are when reports cover 10 s instead of one', ({ expect }) => {
    const { core, calmAt, report } = site()
    calmAt(2)
    for (let i = 0; i < 6; i++) report(2, {}, 10_000)
    expect(core.state!.arrivals['shop/default']!.rate).toBeCloseTo(2, 5)
    expect(core.ticks.at(-1)!.lengthMs).toBe(10_000)
  })
})
