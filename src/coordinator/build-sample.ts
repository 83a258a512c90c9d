import type { CapacityEvent, ClassSample, Sample, TierSample } from '../learners/learner.ts'
import { histogramTotal, mergeHistograms } from '../lib/histogram.ts'
import type { RouteSetup, Setup } from '../protocol/feedback.ts'
import { mergeClass, NO_CLASS_FEEDBACK, type RoutesFeedback } from '../protocol/merge.ts'

export interface TickReports {
  readonly setup: Setup
  readonly routes: RoutesFeedback
  readonly lengthMs: number
  readonly targetOf: (route: RouteSetup) => number
  readonly capacity: readonly CapacityEvent[]
  /** What a request weighs in the unit of the limit, by class key: as it asks, and as it is sent on. */
  readonly costs?: { asked(key: string): number; sent(key: string): number }
}

/** Where nobody knows sizes, and for sessions, which are more than a request: all weigh the same. */
const EQUAL = { asked: () => 1, sent: () => 1 }

/** Counts where the gate is off: nobody is admitted or refused there. */
const isOn = (route: RouteSetup): boolean => route.mode !== 'off'

export const classKey = (route: string, name: string): string => `${route}/${name}`

/** Sessions where all routes of the origin count sessions, else requests. */
export function unitOf(setup: Setup): Sample['granularity'] {
  return setup.routes.filter(isOn).every((route) => route.granularity === 'session')
    ? 'session'
    : 'request'
}

/** Turns the feedback of a tick into what a learner sees. */
export function buildSample({
  setup,
  routes,
  lengthMs,
  targetOf,
  capacity,
  costs,
}: TickReports): Sample {
  const perSecond = (count: number): number => (count * 1000) / lengthMs
  const tiers = new Map<string, TierSample>()
  const classes: ClassSample[] = []
  const offered = { sessions: 0, requests: 0 }
  const admitted = { sessions: 0, requests: 0 }
  let served = 0
  let failed = 0
  let inFlight = 0
  let ages: readonly number[] = []
  for (const route of setup.routes.filter(isOn)) {
    const { percentile, windowMs } = route.sla
    const targetMs = targetOf(route)
    const { asked, sent } = route.granularity === 'request' ? (costs ?? EQUAL) : EQUAL
    ages = mergeHistograms(ages, routes[route.name]?.ages ?? [])
    for (const { name, value, tier } of route.classes) {
      const seen = routes[route.name]?.classes[name] ?? NO_CLASS_FEEDBACK
      if (route.granularity === 'session') {
        offered.sessions += perSecond(seen.offered)
        admitted.sessions += perSecond(seen.admitted)
      }
      const classId = classKey(route.name, name)
      const weight = sent(classId)
      const refused = (seen.offered - seen.admitted) * asked(classId)
      offered.requests += perSecond(seen.requests * weight + refused)
      admitted.requests += perSecond(seen.requests * weight)
      served += seen.served * weight
      failed += seen.failed * weight
      inFlight += seen.inFlight * weight
      classes.push({
        key: classId,
        value,
        percentile,
        targetMs,
        offered: perSecond(seen.offered),
        admitted: perSecond(seen.admitted),
        latency: seen.latency,
        failures: perSecond(seen.failed),
      })
      const key = tierKey(setup, route, tier)
      const before = tiers.get(key)
      const completed = histogramTotal(seen.latency) + seen.failed
      tiers.set(key, {
        name: key,
        percentile,
        targetMs,
        windowMs,
        completed: (before?.completed ?? 0) + completed,
        late: (before?.late ?? 0) + Math.min(seen.late, completed),
        latencyUs: (before?.latencyUs ?? 0) + seen.latencyUs,
        latency: mergeHistograms(before?.latency ?? [], seen.latency),
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
    inFlight,
    tiers: [...tiers.values()],
    classes,
    ages,
    capacity,
  }
}

/** Routes that promise the same share their tiers; else each route has its own. */
function tierKey(setup: Setup, route: RouteSetup, tier: string): string {
  const promise = JSON.stringify(route.sla)
  const shared = setup.routes.every(({ sla }) => JSON.stringify(sla) === promise)
  return shared ? tier : `${route.name}/${tier}`
}

/** Requests per second of sessions that were admitted before: they pass, whatever the limit says. */
export function knownSessionRequests(setup: Setup, routes: RoutesFeedback): number {
  let requests = 0
  for (const route of setup.routes) {
    if (route.granularity !== 'session') continue
    const classes = Object.values(routes[route.name]?.classes ?? {})
    const all = classes.reduce(mergeClass, NO_CLASS_FEEDBACK)
    requests += Math.max(0, all.requests - all.admitted)
  }
  return requests
}
