import type {
  CapacityEvent,
  ClassSample,
  Sample,
  TierSample,
} from '../learners/learner-interface.ts'
import { histogramTotal, mergeHistograms, scaleCounts, scaleHistogram } from '../lib/histogram.ts'
import { classKey } from '../protocol/class-key.ts'
import type { ClassFeedback, RouteFeedback, RouteSetup, Setup } from '../protocol/feedback.ts'
import { NO_CLASS_FEEDBACK, type RoutesFeedback } from '../protocol/merge-reports.ts'
import { type ClassCosts, EQUAL_COSTS } from './class-cost.ts'
import { type ClassSetup, slaOf } from './class-sla.ts'

interface TickReports {
  readonly setup: Setup
  readonly routes: RoutesFeedback
  readonly lengthMs: number
  readonly targetOf: (route: RouteSetup, klass: ClassSetup) => number
  /** Which classes the sample is about, by key. */
  readonly isIn?: (key: string) => boolean
  readonly capacity: readonly CapacityEvent[]
  /** Requests count by the cost of their class. Absent: every request counts as 1. */
  readonly costs?: ClassCosts
  /** Absent or null: unknown. */
  readonly knownPeak?: number | null
}

/** A route in mode `off` admits and refuses nothing, so its counts are left out. */
const isOn = (route: RouteSetup): boolean => route.mode !== 'off'

/** The unit of the origin's limit: sessions if all its routes count sessions, else requests. */
export function unitOf(setup: Setup): Sample['granularity'] {
  return setup.routes.filter(isOn).every((route) => route.granularity === 'session')
    ? 'session'
    : 'request'
}

/**
 * Those who ask, as the learner sees them. Visitors who wait ask again and again. As many of them count as keep the limit
 * clearly in use: twice what is let in.
 */
function askingOf({ offered, admitted, tickets }: ClassFeedback): number {
  return offered + Math.min(tickets, 2 * admitted + 1)
}

/** Clients who gave up. Those who leave at once have not waited for a slow origin, and are among the ignored. */
function leftOf({ abandoned, ignored, ignoredServed }: ClassFeedback): number {
  return Math.max(0, abandoned - Math.max(0, ignored - ignoredServed))
}

/** Turns the feedback of a tick into the sample that the learner gets. */
export function buildSample({
  setup,
  routes,
  lengthMs,
  targetOf,
  isIn = () => true,
  capacity,
  costs = EQUAL_COSTS,
  knownPeak = null,
}: TickReports): Sample {
  const perSecond = (count: number): number => (count * 1000) / lengthMs
  const tiers = new Map<string, LoadedTier>()
  const classes: ClassSample[] = []
  const offered = { sessions: 0, requests: 0 }
  const admitted = { sessions: 0, requests: 0 }
  let served = 0
  let failed = 0
  let abandoned = 0
  let inFlight = 0
  let ages: readonly number[] = []
  let ended: readonly number[] = []
  for (const route of setup.routes.filter(isOn)) {
    ages = mergeHistograms(ages, agesOf(route, routes[route.name], costs))
    ended = mergeHistograms(ended, routes[route.name]?.ended ?? [])
    for (const one of route.classes) {
      const { name, value } = one
      if (!isIn(classKey(route.name, name))) continue
      const { percentile, windowMs } = slaOf(route, one)
      const targetMs = targetOf(route, one)
      const feedback = routes[route.name]?.classes[name] ?? NO_CLASS_FEEDBACK
      const asking = askingOf(feedback)
      const classId = classKey(route.name, name)
      const weight = costs.sent(classId)
      if (route.granularity === 'session') {
        const cost = costs.session(classId)
        offered.sessions += perSecond(asking) * cost
        admitted.sessions += perSecond(feedback.admitted) * cost
      }
      const refused = (asking - feedback.admitted) * costs.offered(classId)
      const sent = (feedback.requests - feedback.ignored) * weight
      offered.requests += perSecond(sent + refused)
      admitted.requests += perSecond(sent)
      served += (feedback.served - feedback.ignoredServed) * weight
      failed += feedback.failed * weight
      abandoned += leftOf(feedback) * weight
      inFlight += feedback.inFlight - feedback.ignoredInFlight
      classes.push({
        key: classId,
        value,
        percentile,
        targetMs,
        offered: perSecond(asking),
        admitted: perSecond(feedback.admitted),
        latency: feedback.latency,
        failures: perSecond(feedback.failed),
      })
      const key = tierKey(setup, route, one)
      const before = tiers.get(key)
      const completed = histogramTotal(feedback.latency) + feedback.failed
      tiers.set(key, {
        name: key,
        percentile,
        targetMs,
        windowMs,
        completed: (before?.completed ?? 0) + completed,
        late: (before?.late ?? 0) + Math.min(feedback.late, completed),
        latencyUs: (before?.latencyUs ?? 0) + feedback.latencyUs,
        latency: mergeHistograms(before?.latency ?? [], feedback.latency),
        load: (before?.load ?? 0) + completed * weight,
      })
    }
  }
  return {
    lengthMs,
    granularity: unitOf(setup),
    offered,
    admitted,
    goodput: perSecond(served),
    failures: perSecond(failed),
    ...(abandoned > 0 ? { abandoned: perSecond(abandoned) } : {}),
    // In flight are requests of all classes, as long as they wait alike, and so the cap counts them.
    inFlight: inFlight * costs.mean,
    tiers: [...tiers.values()].map(inLoad),
    classes,
    ages,
    ...(ended.length > 0 ? { ended } : {}),
    capacity,
    ...(knownPeak === null ? {} : { knownPeak }),
  }
}

/** `load`: what its completions cost together. */
type LoadedTier = TierSample & { readonly load: number }

/**
 * Completions in the unit of the rates. All are scaled alike, so percentiles are those of requests, and by Little's law the
 * mean response time is still the requests in flight over the rate.
 */
function inLoad({ load, ...tier }: LoadedTier): TierSample {
  const { completed, late, latencyUs, latency } = tier
  if (load === completed) return tier
  const factor = load / completed
  const scaled = scaleCounts(latency, factor)
  const failed = (completed - histogramTotal(latency)) * factor
  const all = histogramTotal(scaled) + failed
  return {
    ...tier,
    completed: all,
    late: Math.min(all, late * factor),
    latencyUs: latencyUs * factor,
    latency: scaled,
  }
}

/** Ages are counted for the whole route, so each request counts by the mean cost of the route's requests. */
function agesOf(
  { name: route, classes }: RouteSetup,
  feedback: RouteFeedback | undefined,
  costs: ClassCosts,
): readonly number[] {
  let requests = 0
  let load = 0
  for (const { name } of classes) {
    const counts = feedback?.classes[name] ?? NO_CLASS_FEEDBACK
    requests += counts.requests
    load += counts.requests * costs.sent(classKey(route, name))
  }
  const ages = feedback?.ages ?? []
  return requests > 0 && load !== requests ? scaleHistogram(ages, load / requests) : ages
}

/**
 * Routes share their tiers if all of them have the same SLA. Otherwise each route has its own tiers. So has a class with
 * an SLA of its own.
 */
function tierKey(setup: Setup, route: RouteSetup, { name, tier, sla }: ClassSetup): string {
  if (sla !== undefined) return `${classKey(route.name, name)}/${tier}`
  const own = JSON.stringify(route.sla)
  const isShared = setup.routes.every(({ sla }) => JSON.stringify(sla) === own)
  return isShared ? tier : `${route.name}/${tier}`
}

/** The load of sessions that were admitted before, in requests. They pass whatever the limit is. */
export function knownSessionRequests(
  setup: Setup,
  routes: RoutesFeedback,
  costs: ClassCosts = EQUAL_COSTS,
): number {
  let requests = 0
  for (const route of setup.routes) {
    if (route.granularity !== 'session') continue
    for (const [name, counts] of Object.entries(routes[route.name]?.classes ?? {})) {
      const known = Math.max(0, counts.requests - counts.ignored - counts.admitted)
      requests += known * costs.sent(classKey(route.name, name))
    }
  }
  return requests
}
