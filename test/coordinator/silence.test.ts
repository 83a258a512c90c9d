import { describe, it } from 'vitest'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'
import { times } from '../support/samples.ts'

const CLASSES = [
  { name: 'members', value: 10, guaranteed: 0, tier: 'all' },
  { name: 'visitors', value: 1, guaranteed: 0, tier: 'all' },
]

/** A minute of members and visitors at an origin that answers everybody late, then silence, then one who asks. */
function afterSilence(learner: string, options: object, silenceMs: number, leftMs = 0) {
  const core = new CoordinatorCore()
  const setup = setupOf({
    learner: { name: learner, options } as never,
    routes: { shop: { classes: CLASSES, granularity: 'request' } },
  })
  const late = {
    ...{ requests: 4, served: 4, late: 4, latencyUs: 4 * 5_000_000 },
    latency: histogramOf(times(4, 5000)),
  }
  for (let second = 1; second <= 60; second++) {
    const counts = {
      members: { offered: 4, admitted: 4, ...late },
      visitors: { offered: 10, admitted: 0 },
    }
    const given = { seq: second, toMs: second * 1000, setup }
    core.handle(feedbackOf({ shop: counts }, given), second * 1000)
  }
  const before = core.plan!.routes.shop!.classes.visitors!.probability
  if (leftMs > 0) {
    const counts = { visitors: { offered: 40, admitted: 0 } }
    const given = { seq: 61, toMs: 60_000 + leftMs, lengthMs: leftMs }
    core.handle(feedbackOf({ shop: counts }, given), 60_000 + leftMs)
  }
  const nowMs = 60_000 + leftMs + silenceMs
  core.handle(feedbackOf({ shop: {} }, { seq: 62, toMs: nowMs, lengthMs: 1500 }), nowMs)
  return { before, after: core.plan!.routes.shop!.classes.visitors!.probability }
}

describe('a quiet site', () => {
  for (const [learner, options] of [
    ['fixed', { limit: 3 }],
    ['soc-lqr', {}],
    ['soc', {}],
    ['lqr', {}],
    ['aimd', {}],
    ['tbac', {}],
    ['pac', {}],
  ] as const)
    it(`lets all in again after a surge and 80 s of silence, with ${learner}`, ({ expect }) => {
      expect(afterSilence(learner, options, 80_000).after).toBe(1)
    })

  it('forgets what was too little for a tick before the silence', ({ expect }) => {
    // Half a second of the surge is left over when the silence begins.
    expect(afterSilence('fixed', { limit: 3 }, 80_000, 400).after).toBe(1)
    expect(afterSilence('fixed', { limit: 3 }, 80_000, 400).before).toBe(0)
  })

  it('is held in a surge that ends the silence, by a policy that has not judged it', ({
    expect,
  }) => {
    const core = new CoordinatorCore()
    const setup = setupOf({
      learner: { name: 'tbac', options: {} },
      routes: { shop: { classes: [CLASSES[1]!], granularity: 'request' } },
    })
    const second = (seq: number, toMs: number, offered: number) => {
      const counts = { shop: { visitors: { offered, admitted: offered } } }
      core.handle(feedbackOf(counts, { seq, toMs, setup }), toMs)
    }
    for (let seq = 1; seq <= 10; seq++) second(seq, seq * 1000, 40)
    second(11, 100_000, 400)
    // 1.5 times what came before, of which a part is forgotten.
    expect(core.plan!.drawLimit).toBeLessThan(1.5 * 40)
    expect(core.plan!.drawLimit).toBeGreaterThan(1.5 * 40 * Math.exp(-1))
  })

  it('had refused its visitors before', ({ expect }) => {
    for (const learner of ['aimd', 'tbac', 'pac'])
      expect(afterSilence(learner, {}, 80_000).before).toBeLessThan(0.5)
    expect(afterSilence('fixed', { limit: 3 }, 80_000).before).toBe(0)
  })
})
