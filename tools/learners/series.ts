import type { TraceLine } from '../../lab/gate/run-plant.ts'
import type { Sample } from '../../src/learners/learner.ts'
import { percentileMs } from '../../src/learners/sample.ts'
import { EMPTY_HISTOGRAM, mergeHistograms } from '../../src/lib/histogram.ts'

/** What a run's trace shows over time, one value every so many ticks. */
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
  return everySoMany(trace, ticks, (lines) => {
    return lines.reduce((sum, { sample }) => sum + pick(sample), 0) / lines.length
  })
}

/**
 * The percentile of the response time over the last ticks. Who left is among the slowest: a collapsed origin must
 * not look fast because only the lucky were served.
 */
export function percentileOver(trace: readonly TraceLine[], ticks: number): readonly At[] {
  let atOrigin = 0
  const gone = trace.map(({ sample }) => {
    const ended = sample.tiers.reduce((sum, { completed }) => sum + completed, 0)
    const sent = sample.admitted.requests * (sample.lengthMs / 1000)
    const vanished = sent - ended - (sample.inFlight - atOrigin)
    atOrigin = sample.inFlight
    return Math.max(0, Math.round(vanished))
  })
  return everySoMany(trace, ticks, (lines, from) => {
    const { percentile, targetMs } = lines[0]!.sample.tiers[0]!
    const latency = lines.reduce(
      (sum, { sample }) => mergeHistograms(sum, sample.tiers[0]!.latency),
      EMPTY_HISTOGRAM,
    )
    const left = gone.slice(from, from + lines.length).reduce((sum, count) => sum + count, 0)
    return percentileMs(latency, left, percentile, targetMs) ?? 0
  })
}

function everySoMany(
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
