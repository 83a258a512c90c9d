import { EMPTY_HISTOGRAM, type Histogram, mergeHistograms } from '../lib/histogram.ts'
import { COUNTERS, type CounterName, mapCounters, ZERO_COUNTERS } from './counters.ts'
import type {
  ClassFeedback,
  QualitySeen,
  RouteFeedback,
  ServerFeedback,
  TierFeedback,
} from './feedback.ts'

/** Two reports merge into a report of the same form. Order and grouping do not matter. */

export type RoutesFeedback = Readonly<Record<string, RouteFeedback>>
export type ServersFeedback = Readonly<Record<string, ServerFeedback>>
export type TiersFeedback = Readonly<Record<string, TierFeedback>>

export const NO_CLASS_FEEDBACK: ClassFeedback = {
  ...ZERO_COUNTERS,
  admits: {},
  refusals: {},
  latency: EMPTY_HISTOGRAM,
}

export function mergeRoutes(a: RoutesFeedback, b: RoutesFeedback): RoutesFeedback {
  return mergeRecords(a, b, mergeRoute)
}

export function mergeServers(a: ServersFeedback, b: ServersFeedback): ServersFeedback {
  return mergeRecords(a, b, (a, b) => ({
    tries: a.tries + b.tries,
    failures: a.failures + b.failures,
    ...(a.requests || b.requests ? { requests: (a.requests ?? 0) + (b.requests ?? 0) } : {}),
  }))
}

export function mergeTiers(a: TiersFeedback, b: TiersFeedback): TiersFeedback {
  return mergeRecords(a, b, (a, b) => ({
    answers: a.answers + b.answers,
    visits: a.visits + b.visits,
    us: a.us + b.us,
    times: mergeHistograms(a.times, b.times),
    loads: a.loads + b.loads,
    loadUs: a.loadUs + b.loadUs,
  }))
}

export function mergeClass(a: ClassFeedback, b: ClassFeedback): ClassFeedback {
  return {
    ...mapCounters((name) => a[name] + b[name]),
    admits: mergeRecords(a.admits, b.admits, add),
    refusals: mergeRecords(a.refusals, b.refusals, add),
    ...mergeOptional('queued', a, b),
    ...mergeOptional('places', a, b),
    ...mergeOptional('fresh', a, b),
    ...mergeOptional('degrades', a, b),
    ...mergeOptional('redirects', a, b),
    ...costOf((a.extraCost ?? 0) + (b.extraCost ?? 0)),
    latency: mergeHistograms(a.latency, b.latency),
  }
}

/** In any grouping the sum of 5 and −5 is absent. */
const costOf = (extraCost: number): Pick<ClassFeedback, 'extraCost'> =>
  extraCost === 0 ? {} : { extraCost }

/** Takes away what was merged before: `subtractRoutes(mergeRoutes(a, b), b)` has the counts of `a`. */
export function subtractRoutes(sum: RoutesFeedback, part: RoutesFeedback): RoutesFeedback {
  const negated = mapClasses(part, (feedback) => ({
    ...mapCounters((name) => -feedback[name]),
    admits: mapRecord(feedback.admits, negate),
    refusals: mapRecord(feedback.refusals, negate),
    ...(feedback.queued ? { queued: mapRecord(feedback.queued, negate) } : {}),
    ...(feedback.degrades ? { degrades: mapRecord(feedback.degrades, negate) } : {}),
    ...(feedback.redirects ? { redirects: mapRecord(feedback.redirects, negate) } : {}),
    ...(feedback.extraCost ? { extraCost: -feedback.extraCost } : {}),
    latency: negateCounts(feedback.latency),
  }))
  const left = mergeRoutes(
    sum,
    mapRecord(negated, ({ classes, ages }) => ({ classes, ages: negateCounts(ages) })),
  )
  const compact = mapClasses(left, (feedback) => ({
    ...feedback,
    latency: withoutEmpty(feedback.latency),
  }))
  return mapRecord(compact, ({ classes, ages }) => ({ classes, ages: withoutEmpty(ages) }))
}

const negate = (value: number): number => -value

/** A histogram has the buckets at even places and their counts at odd ones. */
const negateCounts = (histogram: Histogram): Histogram =>
  histogram.map((value, i) => (i % 2 === 0 ? value : -value))

function withoutEmpty(histogram: Histogram): Histogram {
  const cells: number[] = []
  for (let i = 0; i < histogram.length; i += 2)
    if (histogram[i + 1]! > 0) cells.push(histogram[i]!, histogram[i + 1]!)
  return cells
}

type OptionalCounts = 'degrades' | 'redirects' | 'queued' | 'places' | 'fresh'

/** Most reports have none of these, and a report without is shorter. */
function mergeOptional<Name extends OptionalCounts>(
  name: Name,
  a: ClassFeedback,
  b: ClassFeedback,
): Partial<Record<Name, Readonly<Record<string, number>>>> {
  const [first, second] = [a[name], b[name]]
  if (first === undefined && second === undefined) return {}
  const merged = mergeRecords(first ?? {}, second ?? {}, add)
  return { [name]: merged } as Record<Name, typeof merged>
}

/** Tickets are counted by the second, so a sum of them over a minute means nothing. */
export function withoutTickets(routes: RoutesFeedback): RoutesFeedback {
  return mapClasses(routes, ({ places, fresh, ...feedback }) => feedback)
}

/** Levels must not be added up over time, so they are kept apart from what is. */
export function withoutLevels(routes: RoutesFeedback): RoutesFeedback {
  const counts = (feedback: ClassFeedback) =>
    mapCounters((name) => (isLevel(name) ? 0 : feedback[name]))
  return mapClasses(routes, (feedback) => ({ ...feedback, ...counts(feedback) }))
}

export function levelsOnly(routes: RoutesFeedback): RoutesFeedback {
  const levels = (feedback: ClassFeedback) =>
    mapCounters((name) => (isLevel(name) ? feedback[name] : 0))
  const classes = mapClasses(routes, (feedback) => ({ ...NO_CLASS_FEEDBACK, ...levels(feedback) }))
  return mapRecord(classes, ({ classes }) => ({ classes, ages: [] }))
}

const isLevel = (name: CounterName): boolean => COUNTERS[name] === 'level'

/** Samples of verdicts in one report. */
export const MOST_SAMPLES = 20

function mergeRoute(a: RouteFeedback, b: RouteFeedback): RouteFeedback {
  const quality =
    a.quality && b.quality ? mergeRecords(a.quality, b.quality, addSeen) : (a.quality ?? b.quality)
  const ended = a.ended && b.ended ? mergeHistograms(a.ended, b.ended) : (a.ended ?? b.ended)
  return {
    classes: mergeRecords(a.classes, b.classes, mergeClass),
    ages: mergeHistograms(a.ages, b.ages),
    ...mergeSamples(a.samples, b.samples),
    ...(ended ? { ended } : {}),
    ...(quality ? { quality } : {}),
  }
}

/** The order of samples depends on the grouping, and the newest of too many are kept. They are for the eye only. */
function mergeSamples(
  a: readonly string[] = [],
  b: readonly string[] = [],
): Pick<RouteFeedback, 'samples'> {
  return a.length + b.length === 0 ? {} : { samples: [...a, ...b].slice(-MOST_SAMPLES) }
}

const add = (a: number, b: number): number => a + b

const addSeen = (a: QualitySeen, b: QualitySeen): QualitySeen => ({
  requests: a.requests + b.requests,
  us: a.us + b.us,
})

function mergeRecords<Value>(
  a: Readonly<Record<string, Value>>,
  b: Readonly<Record<string, Value>>,
  merge: (a: Value, b: Value) => Value,
): Readonly<Record<string, Value>> {
  const merged: Record<string, Value> = { ...a }
  for (const [key, value] of Object.entries(b))
    merged[key] = Object.hasOwn(merged, key) ? merge(merged[key]!, value) : value
  return merged
}

function mapClasses(
  routes: RoutesFeedback,
  map: (feedback: ClassFeedback) => ClassFeedback,
): RoutesFeedback {
  return mapRecord(routes, (route) => ({ ...route, classes: mapRecord(route.classes, map) }))
}

function mapRecord<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
