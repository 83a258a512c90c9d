import { describe, it } from 'vitest'
import { Coordinator } from '../../../lab/edge/coordinator.ts'
import { Isolate } from '../../../lab/edge/isolate.ts'
import { Way } from '../../../lab/edge/network.ts'
import { LabPlanCache } from '../../../lab/edge/plan-cache.ts'
import { Relay } from '../../../lab/edge/relay.ts'
import { runWithPromises, Timers } from '../../../lab/edge/timers.ts'
import { Agenda } from '../../../lab/engine/agenda.ts'
import { exponential } from '../../../lab/engine/distributions.ts'
import { streams } from '../../../lab/engine/random.ts'
import type { ReportAnswer } from '../../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../../src/protocol/feedback.ts'
import type { OwnLimitPlan } from '../../../src/protocol/plan.ts'
import { routeOf } from '../../support/requests.ts'

const ISOLATES = 100
/** The first data centre has so many of them. */
const IN_FIRST = 70
const SEARCH = 0
const PAGES = 1
const PAGES_PER_SECOND = 100
const SERVICE_MS = 100
const ONSET_S = 30
const FROM_S = ONSET_S + 10
const SECONDS = FROM_S + 60

const ROUTE = routeOf({
  granularity: 'request',
  learner: { name: 'fixed', limit: 1000 },
  fairness: false,
  classes: [
    { name: 'search', match: { path: '/search' }, sla: { targetMs: 3000 } },
    { name: 'pages' },
  ],
})

interface Crowd {
  readonly own: Partial<OwnLimitPlan>
  /** Searches per second before the onset and after it. */
  readonly calm: number
  readonly surge: number
  /** What the plan says of them after the onset. */
  readonly probability: number
}

/** The coordinator, with this limit for searches instead of a learned one. */
class Told {
  readonly #inner: Coordinator
  readonly #timers: Timers
  readonly #crowd: Crowd

  constructor(timers: Timers, crowd: Crowd) {
    this.#inner = new Coordinator(timers)
    this.#timers = timers
    this.#crowd = crowd
  }

  report(feedback: Feedback): ReportAnswer {
    const answer = this.#inner.report(feedback)
    const { plan } = answer
    if (plan === null) return answer
    const { own, probability } = this.#crowd
    const shop = plan.routes.shop!
    const limited = { drawLimit: null, inFlightCap: null, burst: 3, ...own }
    // The surge is in the plan a second after its onset.
    const isSurge = this.#timers.nowMs > (ONSET_S + 1) * 1000
    const search = {
      ...shop.classes.search!,
      own: limited,
      probability: isSurge ? probability : 1,
    }
    const routes = { shop: { ...shop, classes: { ...shop.classes, search } } }
    return { ...answer, plan: { ...plan, routes } }
  }
}

/** Searches per second that were admitted from ten seconds after the onset on, their mean in flight, and pages per second. */
async function admitted(crowd: Crowd) {
  const random = streams(1)
  const agenda = new Agenda()
  const timers = new Timers(agenda)
  const coordinator = new Told(timers, crowd)
  const wayOf = (name: string, mean: number): Way =>
    new Way(timers, random(name), { delay: exponential({ mean }) })
  const colos = [0, 1].map((i) => ({
    relay: new Relay(`origin@${i}`, coordinator, wayOf(`up ${i}`, 40), timers),
    cache: new LabPlanCache(timers),
  }))
  const isolates = Array.from({ length: ISOLATES }, (_, i) => {
    const name = `isolate ${i}`
    const parts = { ...colos[i < IN_FIRST ? 0 : 1]!, timers, random: random(name) }
    return new Isolate(name, ROUTE, { ...parts, way: wayOf(`${name} way`, 5) })
  })
  const seen = [
    { count: 0, busyMs: 0 },
    { count: 0, busyMs: 0 },
  ]
  const run = (classIndex: number, rateAt: (second: number) => number): void => {
    const places = random(`places of ${classIndex}`)
    const visit = async (): Promise<void> => {
      const gap = exponential({ mean: 1000 / rateAt(agenda.nowMs / 1000) })
      timers.after(gap.draw(places), () => void visit())
      const isolate = isolates[Math.floor(places.next() * ISOLATES)]!
      const request = { classIndex, sessionAgeMs: null, visitor: 0 }
      if (!(await isolate.admits(request, agenda.nowMs))) return
      const inFlight = isolate.begins(request, agenda.nowMs)
      const isCounted = agenda.nowMs >= FROM_S * 1000
      const serviceMs = exponential({ mean: SERVICE_MS }).draw(places)
      if (isCounted) seen[classIndex]!.count++
      if (isCounted) seen[classIndex]!.busyMs += serviceMs
      timers.after(serviceMs, () => {
        isolate.settles(inFlight, classIndex, 'served', agenda.nowMs)
      })
    }
    timers.after(0, () => void visit())
  }
  run(SEARCH, (second) => (second < ONSET_S ? crowd.calm : crowd.surge))
  run(PAGES, () => PAGES_PER_SECOND)
  await runWithPromises(agenda, SECONDS * 1000)
  const seconds = SECONDS - FROM_S
  return {
    perSecond: seen[SEARCH]!.count / seconds,
    inFlight: seen[SEARCH]!.busyMs / 1000 / seconds,
    pagesPerSecond: seen[PAGES]!.count / seconds,
  }
}

describe('a class that is limited by itself, over a hundred isolates of two data centres', () => {
  it.for([
    [2, 1, 40],
    [20, 10, 200],
  ] as const)('is admitted at %d/s of its own', async ([limit, calm, surge], { expect }) => {
    const own = { drawLimit: limit }
    const { perSecond, pagesPerSecond } = await admitted({
      ...{ own, calm, surge },
      probability: limit / surge,
    })
    expect(perSecond).toBeGreaterThan(0.9 * limit)
    expect(perSecond).toBeLessThan(1.1 * limit)
    // All pages are admitted.
    expect(pagesPerSecond).toBeGreaterThan(0.95 * PAGES_PER_SECOND)
  })

  it('is held in a surge that no plan knows of: a budget of its own shows it', async ({
    expect,
  }) => {
    const { perSecond } = await admitted({
      ...{ own: { drawLimit: 2 }, calm: 1, surge: 40 },
      probability: 1,
    })
    // The budget fills faster as long as the plan says that all are in.
    expect(perSecond).toBeLessThan(2 * 2)
  })

  it.for([
    [12, 50, 1000],
    [2, 5, 200],
  ] as const)(
    'has at most %d of its own in flight, not one in each isolate',
    async ([inFlightCap, calm, surge], { expect }) => {
      const { inFlight, pagesPerSecond } = await admitted({
        ...{ own: { inFlightCap }, calm, surge },
        probability: 1,
      })
      expect(inFlight).toBeGreaterThan(0.8 * inFlightCap)
      expect(inFlight).toBeLessThan(1.15 * inFlightCap)
      expect(pagesPerSecond).toBeGreaterThan(0.95 * PAGES_PER_SECOND)
    },
  )
})
