import type { ClassSample, Sample, TierSample } from '../../src/learners/learner-interface.ts'
import { histogramOf } from './histogram.ts'

/** A tick of one second on a request route. Tests give only the fields that matter to them. */
export interface Tick {
  readonly lengthMs?: number
  readonly granularity?: Sample['granularity']
  /** Per second. By default all offered requests are admitted, and all admitted requests are served. */
  readonly offered?: number
  readonly admitted?: number
  readonly goodput?: number
  readonly failed?: number
  readonly inFlight?: number
  /** Response times of the served requests. */
  readonly timesMs?: readonly number[]
  readonly targetMs?: number
  readonly percentile?: number
  readonly tiers?: readonly TierSample[]
  readonly classes?: readonly ClassSample[]
  readonly capacity?: Sample['capacity']
}

export function tick(given: Tick = {}): Sample {
  const { lengthMs = 1000, granularity = 'request', failed = 0, timesMs = [] } = given
  const admitted = given.admitted ?? given.offered ?? timesMs.length
  const offered = given.offered ?? admitted
  return {
    lengthMs,
    granularity,
    offered: { sessions: offered, requests: offered },
    admitted: { sessions: admitted, requests: admitted },
    goodput: given.goodput ?? admitted,
    failures: failed / (lengthMs / 1000),
    inFlight: given.inFlight ?? 0,
    tiers: given.tiers ?? [tierTick(given)],
    classes: given.classes ?? [],
    ages: [],
    capacity: given.capacity ?? [],
  }
}

export function tierTick({
  name = 'all',
  timesMs = [],
  failed = 0,
  targetMs = 1000,
  percentile = 95,
}: Tick & { readonly name?: string } = {}): TierSample {
  return {
    name,
    percentile,
    targetMs,
    windowMs: 60_000,
    completed: timesMs.length + failed,
    late: timesMs.filter((ms) => ms > targetMs).length + failed,
    latencyUs: timesMs.reduce((sum, ms) => sum + Math.round(ms * 1000), 0),
    latency: histogramOf(timesMs),
  }
}

export function classTick({
  key = 'shop/all',
  value = 1,
  offered = 10,
  admitted = offered,
  timesMs = [],
  failed = 0,
  targetMs = 1000,
  percentile = 95,
}: Tick & { readonly key?: string; readonly value?: number } = {}): ClassSample {
  return {
    key,
    value,
    percentile,
    targetMs,
    offered,
    admitted,
    latency: histogramOf(timesMs),
    failures: failed,
  }
}

/** `count` equal response times. Their percentile lies in a histogram bucket that is 4.4 % wide. */
export function times(count: number, ms: number): number[] {
  return new Array<number>(count).fill(ms)
}
