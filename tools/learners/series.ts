import type { TraceLine } from '../../lab/gate/run-plant.ts'
import type { Sample } from '../../src/learners/learner-interface.ts'
import { percentileMs } from '../../src/learners/sample.ts'
import { EMPTY_HISTOGRAM, mergeHistograms } from '../../src/lib/histogram.ts'

/** A value of a run at a point in time. */
export interface At {
  readonly second: number
  readonly value: number
}

/** The mean of the last ticks. */
export function meanOver(
  trace: readonly TraceLine[],
  ticks: number,
  pick: (sample: Sample) => number,
): readonly At[] {
  return everyTicks(trace, ticks, (lines) => {
    return lines.reduce((sum, { sample }) => sum + pick(sample), 0) / lines.length
  })
}

/**
 * The percentile of the response time over the last ticks. Requests of visitors who left count among the slowest.
 * Otherwise a collapsed origin would look fast, because only the few served requests would count.
 */
export function percentileOver(trace: readonly TraceLine[], ticks: number): readonly At[] {
  let inFlightBefore = 0
  const abandoned = trace.map(({ sample }) => {
    const ended = sample.tiers.reduce((sum, { completed }) => sum + completed, 0)
    const sent = sample.admitted.requests * (sample.lengthMs / 1000)
    const missing = sent - ended - (sample.inFlight - inFlightBefore)
    inFlightBefore = sample.inFlight
    return Math.max(0, Math.round(missing))
  })
  return everyTicks(trace, ticks, (lines, from) => {
    const { percentile, targetMs } = lines[0]!.sample.tiers[0]!
    const latency = lines.reduce(
      (sum, { sample }) => mergeHistograms(sum, sample.tiers[0]!.latency),
      EMPTY_HISTOGRAM,
    )
    const left = abandoned.slice(from, from + lines.length).reduce((sum, count) => sum + count, 0)
    return percentileMs(latency, left, percentile, targetMs) ?? 0
  })
}

function everyTicks(
  trace: readonly TraceLine[],
  ticks: number,
  pick: (lines: readonly TraceLine[], from: number) => number,
): readonly At[] {
  const values: At[] = []
  for (let from = 0; from + ticks <= trace.length; from += ticks) {
    const lines = trace.slice(from, from + ticks)
    values.push({ second: lines.at(-1)!.atMs / 1000, value: pick(lines, from) })
  }
  return values
}
