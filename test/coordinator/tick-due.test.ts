import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

/** A core with one sender, which reports every 225 ms. The times of its ticks. */
function ticksOf(core: CoordinatorCore, reports: number, setup = setupOf(), served = 0): number[] {
  const ticks: number[] = []
  for (let i = 1; i <= reports; i++) {
    const before = core.plan?.seq ?? 0
    const toMs = i * 225
    const counts = { shop: { default: { offered: 20, admitted: 20, requests: 20, served } } }
    core.handle(feedbackOf(counts, { seq: i, toMs, lengthMs: 225, setup }), toMs)
    if (core.plan!.seq > before) ticks.push(toMs)
  }
  return ticks
}

describe('the first ticks', () => {
  it('come with the first report that covers a fifth of a tick, until there is a limit', ({
    expect,
  }) => {
    const core = new CoordinatorCore()
    expect(ticksOf(core, 12)).toEqual([225, 1350, 2475])
    expect(core.plan?.drawLimit).toBe(50)
  })

  it('are not brought about by a report that covers next to nothing', ({ expect }) => {
    const core = new CoordinatorCore()
    core.handle(feedbackOf({}, { lengthMs: 100, toMs: 100, setup: setupOf() }), 100)
    expect(core.plan?.seq).toBe(0)
    expect(core.tick(100)).toBe(false)
  })

  it('are four at the most for a learner that sets no limit', ({ expect }) => {
    const setup = setupOf({ learner: { name: 'aimd', options: {} } })
    const core = new CoordinatorCore()
    expect(ticksOf(core, 14, setup)).toEqual([225, 450, 675, 900, 2025, 3150])
    expect(core.state?.decision).toMatchObject({ limit: null, reason: 'cold' })
  })

  it('are as long as all others after a restart', ({ expect }) => {
    const core = new CoordinatorCore()
    ticksOf(core, 12)
    expect(ticksOf(new CoordinatorCore(structuredClone(core.state)), 5)).toEqual([1125])
  })
})
