import type { Sample } from '../../src/learners/learner.ts'
import { type Histogram, mergeHistograms, quantileMs } from '../../src/lib/histogram.ts'
import type { TraceLine } from '../gate/run-plant.ts'
import type { Curve } from './experiment.ts'

type Trace = readonly TraceLine[]

/** The lines of [fromS, toS). */
export function between(trace: Trace, fromS: number, toS = Number.POSITIVE_INFINITY): Trace {
  return trace.filter(({ atMs }) => atMs > fromS * 1000 && atMs <= toS * 1000)
}

/** Pooled over all ticks and tiers, of the served. */
export function percentileMs(trace: Trace, percentile: number): number {
  return quantileMs(latencyOf(trace), percentile / 100) ?? 0
}

function latencyOf(trace: Trace): Histogram {
  // Pairs, then pairs of pairs: one long merge would copy the sum again and again.
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

/** Mean response time of the served. */
export function meanMs(trace: Trace): number {
  let us = 0
  let served = 0
  for (const { sample } of trace) {
    for (const { latencyUs } of sample.tiers) us += latencyUs
    served += (sample.goodput * sample.lengthMs) / 1000
  }
  return served === 0 ? 0 : us / served / 1000
}

/** The mean of something that every tick has. */
export function meanOf(trace: Trace, pick: (line: TraceLine) => number): number {
  let sum = 0
  for (const line of trace) sum += pick(line)
  return trace.length === 0 ? 0 : sum / trace.length
}

/** The part of those who asked that was let in. */
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

/** One value for each stretch of time, at its middle. */
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
