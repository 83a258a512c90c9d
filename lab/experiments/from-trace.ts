import type { Sample } from '../../src/learners/learner-interface.ts'
import { type Histogram, mergeHistograms, quantileMs } from '../../src/lib/histogram.ts'
import type { TraceLine } from '../gate/run-plant.ts'
import type { Curve, Measurement } from './experiment.ts'

type Trace = readonly TraceLine[]

/** The lines in (fromS, toS]. */
export function between(trace: Trace, fromS: number, toS = Number.POSITIVE_INFINITY): Trace {
  return trace.filter(({ atMs }) => atMs > fromS * 1000 && atMs <= toS * 1000)
}

/** Over all served requests of all ticks and tiers. */
export function percentileMs(trace: Trace, percentile: number): number {
  return quantileMs(latencyOf(trace), percentile / 100) ?? 0
}

function latencyOf(trace: Trace): Histogram {
  // Merges pairs, then pairs of pairs: merging one by one would copy the sum each time.
  let parts: readonly Histogram[] = trace.flatMap(({ sample }) =>
    sample.tiers.map(({ latency }) => latency),
  )
  while (parts.length > 1) {
    const halves: Histogram[] = []
    for (let i = 0; i < parts.length; i += 2) {
      halves.push(mergeHistograms(parts[i]!, parts[i + 1] ?? []))
    }
    parts = halves
  }
  return parts[0] ?? []
}

/** Mean response time of served requests. */
export function meanMs(trace: Trace): number {
  let us = 0
  let served = 0
  for (const { sample } of trace) {
    for (const { latencyUs } of sample.tiers) us += latencyUs
    served += (sample.goodput * sample.lengthMs) / 1000
  }
  return served === 0 ? 0 : us / served / 1000
}

/** Mean over all ticks. */
export function meanOf(trace: Trace, pick: (line: TraceLine) => number): number {
  let sum = 0
  for (const line of trace) sum += pick(line)
  return trace.length === 0 ? 0 : sum / trace.length
}

/** Share of the requests for admission that were granted. */
export function admittedPart(trace: Trace, klass?: number): number {
  let offered = 0
  let admitted = 0
  for (const { sample } of trace) {
    for (const one of classesOf(sample, klass)) {
      offered += one.offered
      admitted += one.admitted
    }
  }
  return offered === 0 ? 1 : admitted / offered
}

function classesOf(sample: Sample, klass: number | undefined) {
  return klass === undefined ? sample.classes : [sample.classes[klass]!]
}

/** One value for each stretch of time, placed at its middle. */
export function curveOf(trace: Trace, everyS: number, value: (part: Trace) => number): Curve {
  const parts = new Map<number, TraceLine[]>()
  for (const line of trace) {
    const index = Math.ceil(line.atMs / 1000 / everyS) - 1
    const part = parts.get(index)
    if (part) part.push(line)
    else parts.set(index, [line])
  }
  return [...parts].map(([index, part]) => [(index + 0.5) * everyS, value(part)] as const)
}

/** The 90th percentile and the rejected part: from a time on, and over the whole time. */
export function p90AndRejected(trace: Trace, fromS: number): Measurement {
  const settled = between(trace, fromS)
  return {
    values: { p90Ms: percentileMs(settled, 90), rejected: 1 - admittedPart(settled) },
    curves: {
      p90Ms: curveOf(trace, 5, (part) => percentileMs(part, 90)),
      rejected: curveOf(trace, 5, (part) => 1 - admittedPart(part)),
    },
  }
}
