import { EMPTY_HISTOGRAM, mergeHistograms } from '../lib/histogram.ts'
import type { ClassFeedback, RouteFeedback, ServerFeedback } from './feedback.ts'

/** Feedback adds up: two reports merged are a report of the same shape, in any order and grouping. */

export type RoutesFeedback = Readonly<Record<string, RouteFeedback>>
export type ServersFeedback = Readonly<Record<string, ServerFeedback>>

export const NO_CLASS_FEEDBACK: ClassFeedback = {
  offered: 0,
  admitted: 0,
  guaranteed: 0,
  early: 0,
  overQuota: 0,
  wouldRefuse: 0,
  offeredUs: 0,
  admits: {},
  refusals: {},
  requests: 0,
  serviceUs: 0,
  served: 0,
  failed: 0,
  abandoned: 0,
  late: 0,
  latencyUs: 0,
  latency: EMPTY_HISTOGRAM,
  inFlight: 0,
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
    offered: a.offered + b.offered,
    admitted: a.admitted + b.admitted,
    guaranteed: a.guaranteed + b.guaranteed,
    early: a.early + b.early,
    overQuota: a.overQuota + b.overQuota,
    wouldRefuse: a.wouldRefuse + b.wouldRefuse,
    offeredUs: a.offeredUs + b.offeredUs,
    admits: mergeRecords(a.admits, b.admits, add),
    refusals: mergeRecords(a.refusals, b.refusals, add),
    requests: a.requests + b.requests,
    serviceUs: a.serviceUs + b.serviceUs,
    served: a.served + b.served,
    failed: a.failed + b.failed,
    abandoned: a.abandoned + b.abandoned,
    late: a.late + b.late,
    latencyUs: a.latencyUs + b.latencyUs,
    latency: mergeHistograms(a.latency, b.latency),
    inFlight: a.inFlight + b.inFlight,
  }
}

/** A level adds over senders but not over time: so it is taken out of what adds up, and kept apart. */
export function withoutLevels(routes: RoutesFeedback): RoutesFeedback {
  return mapClasses(routes, (feedback) => ({ ...feedback, inFlight: 0 }))
}

export function levelsOnly(routes: RoutesFeedback): RoutesFeedback {
  const levels = mapClasses(routes, ({ inFlight }) => ({ ...NO_CLASS_FEEDBACK, inFlight }))
  return mapRecord(levels, (route) => ({ ...route, ages: [] }))
}

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
