import { EMPTY_HISTOGRAM, mergeHistograms } from '../lib/histogram.ts'
import { COUNTERS, type CounterName, mapCounters, ZERO_COUNTERS } from './counters.ts'
import type { ClassFeedback, RouteFeedback, ServerFeedback } from './feedback.ts'

/** Two reports merge into a report of the same form. Order and grouping do not matter. */

export type RoutesFeedback = Readonly<Record<string, RouteFeedback>>
export type ServersFeedback = Readonly<Record<string, ServerFeedback>>

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
  }))
}

export function mergeClass(a: ClassFeedback, b: ClassFeedback): ClassFeedback {
  return {
    ...mapCounters((name) => a[name] + b[name]),
    admits: mergeRecords(a.admits, b.admits, add),
    refusals: mergeRecords(a.refusals, b.refusals, add),
    latency: mergeHistograms(a.latency, b.latency),
  }
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
  return mapRecord(classes, (route) => ({ ...route, ages: [] }))
}

const isLevel = (name: CounterName): boolean => COUNTERS[name] === 'level'

function mergeRoute(a: RouteFeedback, b: RouteFeedback): RouteFeedback {
  return {
    classes: mergeRecords(a.classes, b.classes, mergeClass),
    ages: mergeHistograms(a.ages, b.ages),
  }
}

const add = (a: number, b: number): number => a + b

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
  return mapRecord(routes, ({ classes, ages }) => ({ classes: mapRecord(classes, map), ages }))
}

function mapRecord<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
}
