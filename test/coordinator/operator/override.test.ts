import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../../src/coordinator/coordinator-core.ts'
import type { OverrideChange } from '../../../src/coordinator/operator/action.ts'
import type { Override } from '../../../src/coordinator/operator/override.ts'
import type { Setup } from '../../../src/protocol/feedback.ts'
import { CLASS, type Counts, feedbackOf, setupOf } from '../../support/feedback.ts'

const offered = (count: number): Counts => ({
  shop: { default: { offered: count, admitted: count, requests: count, served: count } },
})

function overrideOf(change: OverrideChange, given: Partial<Override> = {}): Override {
  return {
    ...{ id: 'a', route: 'shop', change, by: 'Ada', sinceMs: 1000, untilMs: null },
    ...given,
  }
}

/** A core after its first tick, at which 200 asked in a second and the learner's limit was 50. */
function coreOf(setup: Setup = setupOf()) {
  const core = new CoordinatorCore()
  core.handle(feedbackOf(offered(200), { setup }), 1000)
  const report = (nowMs: number, lengthMs = 1000) =>
    core.handle(feedbackOf(offered(200), { seq: nowMs, toMs: nowMs, lengthMs }), nowMs).plan!
  return { core, report }
}

describe('an override', () => {
  it('of the mode is in the plan at once, and only where it differs', ({ expect }) => {
    const { core } = coreOf()
    expect(core.plan!.routes.shop).not.toHaveProperty('mode')
    core.override([overrideOf({ action: 'mode', mode: 'observe' })], 1500)
    expect(core.plan).toMatchObject({ seq: 2, issuedAtMs: 1500 })
    expect(core.plan!.routes.shop!.mode).toBe('observe')
    core.override([overrideOf({ action: 'mode', mode: 'enforce' })], 1600)
    expect(core.plan!.routes.shop).not.toHaveProperty('mode')
  })

  it('of the limit replaces that of the learner, which goes on learning', ({ expect }) => {
    const { core, report } = coreOf()
    core.override([overrideOf({ action: 'limit', limit: 20 })], 1500)
    expect(report(2000)).toMatchObject({
      ...{ drawLimit: 20, inFlightCap: null },
      routes: { shop: { limit: 20, reason: 'fixed', classes: { default: { probability: 0.1 } } } },
    })
    expect(core.state!.decision.limit).toBe(50)
  })

  it('of the limit is in the granularity of its route', ({ expect }) => {
    const setup = setupOf({ routes: { shop: {}, api: { granularity: 'request' } } })
    const { core } = coreOf(setup)
    core.override([overrideOf({ action: 'limit', limit: 20 })], 1500)
    // A session makes ten requests until the learner knows better.
    expect(core.plan!.routes).toMatchObject({ shop: { limit: 20 }, api: { limit: 200 } })
  })

  it('of the target replaces the whole table', ({ expect }) => {
    const sla = {
      ...{ percentile: 95, windowMs: 300_000 },
      targets: [
        { fromRate: 0, targetMs: 500 },
        { fromRate: 100, targetMs: 1000 },
      ],
    }
    const { core, report } = coreOf(setupOf({ routes: { shop: { sla } } }))
    expect(core.plan!.routes.shop!.targetMs).toBe(1000)
    core.override([overrideOf({ action: 'target', targetMs: 250 })], 1500)
    expect(report(2000).routes.shop!.targetMs).toBe(250)
  })

  it('of value and guarantee changes what the classes get', ({ expect }) => {
    const classes = [{ ...CLASS, name: 'members', value: 5 }, CLASS]
    const { core } = coreOf(setupOf({ routes: { shop: { classes } } }))
    expect(core.plan!.routes.shop!.classes.members!.rank).toBe(0)
    core.override(
      [
        overrideOf({ action: 'value', class: 'default', value: 9 }),
        overrideOf({ action: 'guaranteed', class: 'members', guaranteed: 7 }),
      ],
      1500,
    )
    const { members, default: rest } = core.plan!.routes.shop!.classes
    expect(rest!.rank).toBe(0)
    expect(members).toMatchObject({ guaranteed: 7 })
  })

  it('ends by itself with the first report at its time, even if that report covers no time', ({
    expect,
  }) => {
    const { core, report } = coreOf()
    core.override([overrideOf({ action: 'mode', mode: 'off' }, { untilMs: 5000 })], 1500)
    expect(report(4999, 0).routes.shop!.mode).toBe('off')
    expect(report(5000, 0).routes.shop).not.toHaveProperty('mode')
  })

  it('covers an older one of the same kind, which holds again afterwards', ({ expect }) => {
    const { core, report } = coreOf()
    core.override(
      [
        overrideOf({ action: 'limit', limit: 20 }),
        overrideOf({ action: 'limit', limit: 10 }, { id: 'b', untilMs: 3000 }),
      ],
      1500,
    )
    expect(report(2000).routes.shop!.limit).toBe(10)
    expect(report(3000).routes.shop!.limit).toBe(20)
  })

  it('holds under a new setup, and for a route that is gone it does nothing', ({ expect }) => {
    const { core } = coreOf()
    core.override(
      [
        overrideOf({ action: 'mode', mode: 'observe' }),
        overrideOf({ action: 'limit', limit: 1 }, { route: 'gone' }),
      ],
      1500,
    )
    const setup = setupOf({ id: 'next', sinceMs: 1600, tickMs: 2000 })
    const { plan } = core.handle(feedbackOf({}, { seq: 9, lengthMs: 0, setup }), 2000)
    expect(plan).toMatchObject({
      setup: { id: 'next' },
      routes: { shop: { mode: 'observe', limit: 50 } },
    })
  })
})
