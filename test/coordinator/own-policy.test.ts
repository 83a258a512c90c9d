import { describe, it } from 'vitest'
import { OriginAdmission } from '../../src/admission/origin-admission.ts'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { CLASS, feedbackOf, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'
import { routeOf } from '../support/requests.ts'

const slaOf = (targetMs: number) => ({
  percentile: 95,
  targets: [{ fromRate: 0, targetMs }],
  windowMs: 60_000,
})
const SEARCH = 0

const answered = (perSecond: number, ms: number) => ({
  ...{ offered: perSecond, admitted: perSecond, requests: perSecond, served: perSecond },
  ...{ inFlight: 1, latencyUs: perSecond * ms * 1000 },
  latency: histogramOf(Array.from({ length: perSecond }, () => ms)),
})

/** The plan after 60 s of 40 searches a second, which take so long, beside fast pages. */
function planAfter(learner: object, searchMs: number) {
  const core = new CoordinatorCore()
  const classes = [{ ...CLASS, name: 'search', sla: slaOf(3000) }, CLASS]
  const setup = setupOf({
    learner: learner as never,
    routes: { shop: { granularity: 'request', sla: slaOf(500), classes } },
  })
  for (let seq = 0; seq < 60; seq++) {
    const toMs = 1000 * (seq + 1)
    const counts = { shop: { search: answered(40, searchMs), default: answered(40, 50) } }
    core.handle(feedbackOf(counts, { seq, toMs, setup }), toMs)
  }
  return core.plan!
}

/** Admitted in 10 s of `perSecond` searches, by one isolate with this plan. */
function admittedOf(plan: ReturnType<typeof planAfter>, perSecond: number): number {
  const shop = routeOf({
    granularity: 'request',
    classes: [
      { name: 'search', match: { path: '/search' }, sla: { targetMs: 3000 } },
      { name: 'default' },
    ],
  })
  const admission = new OriginAdmission(
    [shop],
    0,
    () => 0.5,
    () => 0,
  )
  admission.follow(
    { ...plan, goodForMs: 60_000 },
    { share: 1, own: { 'shop/search': { share: 1 } } },
    0,
  )
  let admitted = 0
  for (let i = 0; i < 10 * perSecond; i++)
    if (admission.draw(shop, SEARCH, (i * 1000) / perSecond).kind === 'admit') admitted++
  return admitted
}

describe('a class that is limited by itself, under a policy that sets probabilities', () => {
  for (const learner of [
    { name: 'tbac', options: {} },
    { name: 'pac', options: {} },
    { name: 'aimd', options: { multiclass: true } },
  ]) {
    it(`is cut where it is over its own target, and the others are not (${learner.name})`, ({
      expect,
    }) => {
      const { search, default: pages } = planAfter(learner, 9000).routes.shop!.classes
      expect(search!.probability).toBeLessThan(0.01)
      expect(pages!.probability).toBe(1)
    })

    it(`is held in a tenfold surge that its policy has not judged (${learner.name})`, ({
      expect,
    }) => {
      const plan = planAfter(learner, 100)
      expect(admittedOf(plan, 40)).toBe(400)
      // The limit that stops a surge is 1.5 times what came before. Of `aimd`, 1.5 times its rate, which is twice as high.
      const { drawLimit } = plan.routes.shop!.classes.search!.own!
      expect(drawLimit).toBeLessThanOrEqual(1.5 * 40 * (learner.name === 'aimd' ? 2 : 1))
      expect(admittedOf(plan, 400)).toBeLessThan((10 + 2) * drawLimit!)
    })
  }
})
