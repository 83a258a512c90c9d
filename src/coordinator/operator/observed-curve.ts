import type { LoadPoint } from '../../learners/learner-interface.ts'
import { quantileMs } from '../../lib/histogram.ts'
import type { Setup } from '../../protocol/feedback.ts'
import { mergeClass, NO_CLASS_FEEDBACK } from '../../protocol/merge-reports.ts'
import { underRouteTarget } from '../class-sla.ts'
import type { TickRecord } from '../last-minute.ts'

/** Slices of the load are this much wider each, from 1/s on: about 20 up to 10 times, and 100 up to 100,000/s. */
const WIDTH = 1.12
const MOST_SLICES = 100
/** A slice is the mean of about this many ticks, the newest ones. */
const MEMORY = 60
/** Ticks before a slice is shown. */
const LEAST = 3

/** By slice: ticks, mean load and mean response time. A plain JSON value. */
export type ObservedCurve = Readonly<Record<string, readonly [number, number, number]>>

/**
 * What ticks showed of response time (p95) against load (requests served per second), for operators. Learners that
 * have a curve of their own show that instead. Classes with an SLA of their own are left out,
 * because the curve is shown with the target of the route.
 */
export function curveAfter(
  before: ObservedCurve,
  { lengthMs, routes }: TickRecord,
  setup: Setup,
): ObservedCurve {
  const classes = setup.routes.flatMap((route) => underRouteTarget(route, routes[route.name]))
  const { served, latency } = classes.reduce(mergeClass, NO_CLASS_FEEDBACK)
  const load = (served * 1000) / lengthMs
  const p95Ms = quantileMs(latency, 0.95)
  if (p95Ms === null || !(load >= 1)) return before
  const slice = Math.min(MOST_SLICES, Math.floor(Math.log(load) / Math.log(WIDTH)))
  const [ticks, meanLoad, meanMs] = before[slice] ?? [0, 0, 0]
  const weight = 1 / Math.min(MEMORY, ticks + 1)
  const mix = (old: number, newest: number): number => old + weight * (newest - old)
  return { ...before, [slice]: [ticks + 1, mix(meanLoad, load), mix(meanMs, p95Ms)] }
}

/** The points of the curve, with rising load. */
export function curvePoints(curve: ObservedCurve): readonly LoadPoint[] {
  return Object.values(curve)
    .filter(([ticks]) => ticks >= LEAST)
    .map(([, load, value]) => ({ load, value }))
    .sort((a, b) => a.load - b.load)
}
