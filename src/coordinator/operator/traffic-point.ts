import { quantileMs } from '../../lib/histogram.ts'
import type { ClassFeedback, RouteFeedback } from '../../protocol/feedback.ts'
import { mergeClass, NO_CLASS_FEEDBACK } from '../../protocol/merge-reports.ts'
import type { RoutePlan } from '../../protocol/plan.ts'
import { outcomesOf } from '../outcomes.ts'

/** What a route did over some time: a point of a chart. Rates are per second. */
export interface TrafficPoint extends ClassTraffic {
  /** The end of the time. */
  readonly atMs: number
  /** The length of the time that reports cover. */
  readonly seconds: number
  readonly abandoned: number
  readonly withinTarget: number
  /** Requests at the origin at the end: a number, not a rate. */
  readonly inFlight: number
  /** At the end, in the route's granularity; null: no limit. */
  readonly limit: number | null
  readonly targetMs: number
  /** Of the classes under the route's target. */
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
  readonly classes: Readonly<Record<string, ClassTraffic>>
}

/** What a class did over some time. Rates are per second. */
export interface ClassTraffic {
  readonly offered: number
  readonly admitted: number
  readonly refused: number
  /** Sent to the waiting room. Those who come back with a ticket are not counted again. */
  readonly queued: number
  /** Got a lighter answer, or one of another origin. */
  readonly degraded: number
  readonly wouldRefuse: number
  readonly requests: number
  readonly served: number
  readonly failed: number
}

interface Span {
  readonly atMs: number
  readonly lengthMs: number
  /** The route's plan at the end. */
  readonly plan: Pick<RoutePlan, 'limit' | 'targetMs' | 'classes'>
}

export function trafficPoint(route: RouteFeedback | undefined, span: Span): TrafficPoint {
  const { atMs, lengthMs, plan } = span
  const classes = route?.classes ?? {}
  const total = Object.values(classes).reduce(mergeClass, NO_CLASS_FEEDBACK)
  // A class with a target of its own may be slow and well.
  const { latency } = Object.entries(classes)
    .flatMap(([name, one]) => (plan.classes[name]?.targetMs === undefined ? [one] : []))
    .reduce(mergeClass, NO_CLASS_FEEDBACK)
  const seconds = lengthMs / 1000
  return {
    atMs,
    seconds,
    ...trafficOf(total, seconds),
    abandoned: rate(total.abandoned, seconds),
    withinTarget: rate(Math.max(0, total.served + total.failed - total.late), seconds),
    inFlight: total.inFlight,
    limit: plan.limit,
    targetMs: plan.targetMs,
    p50Ms: quantileMs(latency, 0.5),
    p95Ms: quantileMs(latency, 0.95),
    p99Ms: quantileMs(latency, 0.99),
    classes: Object.fromEntries(
      Object.entries(classes).map(([name, feedback]) => [name, trafficOf(feedback, seconds)]),
    ),
  }
}

function trafficOf(feedback: ClassFeedback, seconds: number): ClassTraffic {
  const { offered, admitted, wouldRefuse, requests, served, failed } = feedback
  const { refused, queued, degraded } = outcomesOf(feedback)
  return {
    offered: rate(offered, seconds),
    admitted: rate(admitted, seconds),
    refused: rate(refused, seconds),
    queued: rate(queued, seconds),
    degraded: rate(degraded, seconds),
    wouldRefuse: rate(wouldRefuse, seconds),
    requests: rate(requests, seconds),
    served: rate(served, seconds),
    failed: rate(failed, seconds),
  }
}

const rate = (count: number, seconds: number): number => (seconds > 0 ? count / seconds : 0)
