import { describe, it } from 'vitest'
import { allocateLimit } from '../../src/coordinator/allocate-limit.ts'
import { type AnswerTotals, answerTotalsAfter } from '../../src/coordinator/answer-totals.ts'
import { buildPlan } from '../../src/coordinator/build-plan.ts'
import { buildSample, knownSessionRequests } from '../../src/coordinator/build-sample.ts'
import { costsOf, NO_SERVICE_TOTALS } from '../../src/coordinator/class-cost.ts'
import { stateWith } from '../../src/coordinator/state.ts'
import { quantileMs } from '../../src/lib/histogram.ts'
import { CLASS, type Counts, routesFeedback, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

const READERS = { ...CLASS, name: 'readers' }
const SEARCHERS = { ...CLASS, name: 'searchers' }
const CLASSES = [READERS, SEARCHERS]
const SESSIONS = setupOf({ routes: { shop: { classes: CLASSES } } })
const REQUESTS = setupOf({ routes: { shop: { classes: CLASSES, granularity: 'request' } } })

/** Answers of a class, each of this cost. */
const served = (answers: number, cost: number) => ({
  ...{ requests: answers, served: answers },
  extraCost: Math.round(1000 * answers * (cost - 1)),
})
const second = (readers: object, searchers: object): Counts => ({ shop: { readers, searchers } })
const after = (...seconds: Counts[]): AnswerTotals =>
  seconds.reduce<AnswerTotals>(
    (totals, counts) => answerTotalsAfter(totals, SESSIONS, routesFeedback(counts)),
    {},
  )
const costsAfter = (...seconds: Counts[]) => costsOf(NO_SERVICE_TOTALS, after(...seconds))

/** The usual mix: 80 pages of 0.5 and 20 of 3 are 100. */
const USUAL = second(served(80, 0.5), served(20, 3))

describe('the cost of a class, from what isolates report of its answers', () => {
  it('is the mean of its answers', ({ expect }) => {
    const costs = costsAfter(USUAL)
    expect(costs.sent('shop/readers')).toBeCloseTo(0.5)
    expect(costs.sent('shop/searchers')).toBeCloseTo(3)
    expect(costs.mean).toBeCloseTo(1)
  })

  it('is exactly 1 where isolates report no extra cost, for each purpose', ({ expect }) => {
    const costs = costsAfter(second({ served: 80 }, { served: 20, ignoredServed: 0 }))
    for (const key of ['shop/readers', 'shop/searchers', 'shop/nobody'])
      expect([costs.sent(key), costs.offered(key), costs.session(key)]).toEqual([1, 1, 1])
    expect(costs.mean).toBe(1)
  })

  it('is 1 as long as fewer than 20 answers are known', ({ expect }) => {
    expect(costsAfter(second({}, served(19, 3))).sent('shop/searchers')).toBe(1)
    expect(costsAfter(second({}, served(20, 3))).sent('shop/searchers')).toBeCloseTo(3)
  })

  it('follows a change within some 200 answers: after as many of cost 3 a class of 1 costs 2', ({
    expect,
  }) => {
    const costs = costsAfter(second({}, served(200, 1)), second({}, served(200, 3)))
    expect(costs.sent('shop/searchers')).toBeCloseTo(2)
  })

  it('has a mean by the mix of the last 200 answers, however many of each class are known', ({
    expect,
  }) => {
    const many = Array.from({ length: 20 }, () => USUAL)
    expect(costsAfter(...many).mean).toBeCloseTo(1)
    const other = Array.from({ length: 20 }, () => second(served(20, 0.5), served(80, 3)))
    // 20 of 0.5 and 80 of 3
    expect(costsAfter(...many, ...other).mean).toBeCloseTo(2.5)
  })

  it('has bounds, so that an error of measurement excludes no class', ({ expect }) => {
    const costs = costsAfter(second(served(100, 0.0001), served(100, 1000)))
    expect([costs.sent('shop/readers'), costs.sent('shop/searchers')]).toEqual([1 / 50, 50])
  })

  it('is lower for a draw, where some answers are ignored: 20 of 3 and 40 of 0 are 1 each', ({
    expect,
  }) => {
    const light = { requests: 60, served: 60, ignoredServed: 40, extraCost: 40_000 }
    const costs = costsAfter(second({}, light))
    expect(costs.offered('shop/searchers')).toBeCloseTo(1)
    // What the learner sees of the class, and a session of it, are its pages.
    expect(costs.sent('shop/searchers')).toBeCloseTo(3)
    expect(costs.session('shop/searchers')).toBeCloseTo(3)
  })
})

describe('the learner’s sample with learned costs', () => {
  const sampleOf = (setup: typeof SESSIONS, counts: Counts) =>
    buildSample({
      ...{ setup, routes: routesFeedback(counts), lengthMs: 1000, capacity: [] },
      targetOf: () => 1000,
      costs: costsAfter(counts),
    })
  const latency = histogramOf([...new Array(90).fill(30), ...new Array(10).fill(700)])
  const answers = (count: number, cost: number) => ({
    ...served(count, cost),
    ...{ inFlight: count, latency, latencyUs: count * 97_000, late: 2 },
  })

  it('has rates, completions and requests in flight in one unit, so that Little’s law holds for them', ({
    expect,
  }) => {
    const mixed = sampleOf(REQUESTS, second(answers(100, 0.5), answers(100, 3)))
    const [tier] = mixed.tiers
    // 100 of 0.5 and 100 of 3
    expect(mixed.goodput).toBeCloseTo(350)
    expect(tier!.completed).toBeCloseTo(350)
    expect(mixed.inFlight).toBeCloseTo(350)
    // The mean response time stays 97 ms.
    expect(tier!.latencyUs / tier!.completed).toBeCloseTo(97_000)
  })

  it('has the percentiles and the late part of the requests as they are', ({ expect }) => {
    const alike = sampleOf(REQUESTS, second(answers(100, 1), answers(100, 1))).tiers[0]!
    const mixed = sampleOf(REQUESTS, second(answers(100, 0.5), answers(100, 3))).tiers[0]!
    expect(mixed.late / mixed.completed).toBeCloseTo(alike.late / alike.completed)
    for (const q of [0.5, 0.85, 0.95])
      expect(quantileMs(mixed.latency, q)).toBeCloseTo(quantileMs(alike.latency, q)!)
  })

  it('has sessions by the cost of their class: 10 readers and 10 searchers are 35', ({
    expect,
  }) => {
    const asking = (count: number, cost: number) => ({
      ...answers(100, cost),
      ...{ offered: 2 * count, admitted: count },
    })
    const sample = sampleOf(SESSIONS, second(asking(10, 0.5), asking(10, 3)))
    expect(sample.admitted.sessions).toBeCloseTo(35)
    expect(sample.offered.sessions).toBeCloseTo(70)
  })

  it('subtracts known sessions by what their requests cost', ({ expect }) => {
    const counts = second(
      { ...served(100, 0.5), admitted: 20 },
      { ...served(100, 3), admitted: 20 },
    )
    const known = knownSessionRequests(SESSIONS, routesFeedback(counts), costsAfter(counts))
    // 80 of 0.5 and 80 of 3
    expect(known).toBeCloseTo(280)
  })
})

describe('the plan with learned costs', () => {
  const stateOf = (setup: typeof SESSIONS, totals: AnswerTotals) =>
    stateWith(setup, null, {
      decision: { limit: 35, inFlightCap: 35, reason: 'steady' },
      answerTotals: totals,
      arrivals: {
        'shop/readers': { rate: 20, seconds: 60 },
        'shop/searchers': { rate: 20, seconds: 60 },
      },
    })
  const totals = after(second(served(100, 0.5), served(100, 3)))
  const costs = costsOf(NO_SERVICE_TOTALS, totals)

  it('takes more of the limit for a costly class, of sessions as of requests: half of 20 × 0.5 + 20 × 3', ({
    expect,
  }) => {
    for (const setup of [SESSIONS, REQUESTS]) {
      const { classes } = allocateLimit(stateOf(setup, totals), costs)
      expect(classes['shop/readers']!.cost).toBeCloseTo(0.5)
      expect(classes['shop/searchers']!.cost).toBeCloseTo(3)
      // Classes of equal value have equal chances.
      expect(classes['shop/readers']!.probability).toBeCloseTo(0.5)
      expect(classes['shop/searchers']!.probability).toBeCloseTo(0.5)
    }
  })

  it('divides the cap, which is in load, by the mean cost of a request: 35 / 1.75 requests', ({
    expect,
  }) => {
    expect(buildPlan(stateOf(REQUESTS, totals), costs).inFlightCap).toBeCloseTo(20)
    expect(buildPlan(stateOf(REQUESTS, {}), costsOf(NO_SERVICE_TOTALS)).inFlightCap).toBe(35)
  })
})
