import { EMPTY_HISTOGRAM, type Histogram, isHistogram, mergeHistograms } from '../lib/histogram.ts'
import { atLeastZero, list, object, type StateSchema, text } from '../lib/state-schema.ts'
import type { Sample, TierSample } from './learner-interface.ts'
import { failedOf, percentileMs, rateOf } from './sample.ts'

/** The sum of several ticks: most papers decide less often than once per tick. */
export interface Window {
  readonly elapsedMs: number
  /** Counts, in the unit of the limit. */
  readonly offered: number
  readonly admitted: number
  /** Requests sent to the origin, by new and known sessions. */
  readonly requests: number
  /** Requests served, in time or late, and the sum of their response times. */
  readonly served: number
  readonly latencyUs: number
  readonly tiers: readonly TierWindow[]
}

interface TierWindow {
  readonly name: string
  readonly completed: number
  readonly failed: number
  readonly late: number
  readonly latency: Histogram
}

export const EMPTY_WINDOW: Window = {
  elapsedMs: 0,
  offered: 0,
  admitted: 0,
  requests: 0,
  served: 0,
  latencyUs: 0,
  tiers: [],
}

export const isWindow: StateSchema = object({
  elapsedMs: atLeastZero,
  offered: atLeastZero,
  admitted: atLeastZero,
  requests: atLeastZero,
  served: atLeastZero,
  latencyUs: atLeastZero,
  tiers: list(
    object({
      name: text,
      completed: atLeastZero,
      failed: atLeastZero,
      late: atLeastZero,
      latency: isHistogram as StateSchema,
    }),
  ),
})

/** Adds a tick. Tiers that the tick does not name have left the configuration: they are dropped. */
export function addToWindow(window: Window, sample: Sample): Window {
  const seconds = sample.lengthMs / 1000
  return {
    elapsedMs: window.elapsedMs + sample.lengthMs,
    offered: window.offered + rateOf(sample.offered, sample.granularity) * seconds,
    admitted: window.admitted + rateOf(sample.admitted, sample.granularity) * seconds,
    requests: window.requests + sample.admitted.requests * seconds,
    served: window.served + sample.goodput * seconds,
    latencyUs: window.latencyUs + sample.tiers.reduce((sum, tier) => sum + tier.latencyUs, 0),
    tiers: sample.tiers.map((tier) => addTier(tierOf(window, tier.name), tier)),
  }
}

function addTier(window: TierWindow, tier: TierSample): TierWindow {
  return {
    name: tier.name,
    completed: window.completed + tier.completed,
    failed: window.failed + failedOf(tier),
    late: window.late + tier.late,
    latency: mergeHistograms(window.latency, tier.latency),
  }
}

function tierOf(window: Window, name: string): TierWindow {
  const tier = window.tiers.find((candidate) => candidate.name === name)
  return tier ?? { name, completed: 0, failed: 0, late: 0, latency: EMPTY_HISTOGRAM }
}

export function completedIn(window: Window): number {
  return window.tiers.reduce((sum, tier) => sum + tier.completed, 0)
}

/** Per second. */
export function rateIn(window: Window, count: 'offered' | 'admitted' | 'served'): number {
  return window.elapsedMs > 0 ? window[count] / (window.elapsedMs / 1000) : 0
}

/** The admitted rate that the origin kept up with. */
export function keptUpRateIn(window: Window): number {
  const kept = window.requests > 0 ? Math.min(1, window.served / window.requests) : 1
  return rateIn(window, 'admitted') * kept
}

/** The tier's percentile in the window. Failures rank above all served requests. null: no request completed. */
export function tierPercentileMs(
  window: Window,
  { name, percentile, targetMs }: Pick<TierSample, 'name' | 'percentile' | 'targetMs'>,
): number | null {
  const { latency, failed } = tierOf(window, name)
  return percentileMs(latency, failed, percentile, targetMs)
}

/** Mean response time. A failure counts as twice its target. null: no request completed. */
export function meanMs(window: Window, tiers: readonly TierSample[]): number | null {
  const completed = completedIn(window)
  if (completed === 0) return null
  const failedMs = tiers.reduce(
    (sum, { name, targetMs }) => sum + tierOf(window, name).failed * 2 * targetMs,
    0,
  )
  return (window.latencyUs / 1000 + failedMs) / completed
}

/** Is the fraction of late requests of every tier within what its percentile allows? */
export function keepsSla(window: Window, tiers: readonly TierSample[]): boolean {
  return tiers.every(({ name, percentile }) => {
    const { late, completed } = tierOf(window, name)
    return late <= (1 - percentile / 100) * completed
  })
}
