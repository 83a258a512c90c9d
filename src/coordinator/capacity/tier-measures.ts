import {
  EMPTY_HISTOGRAM,
  type Histogram,
  histogramTotal,
  isHistogram,
  mergeHistograms,
} from '../../lib/histogram.ts'
import { atLeastZero, list, object, record, type StateSchema } from '../../lib/state-schema.ts'
import type { TiersFeedback } from '../../protocol/merge-reports.ts'
import { variabilityOf } from './mean-target.ts'

/** What origins say about their tiers, over time: β_i, s_i and the variability of the service times. */
export interface TierMeasure {
  /** Answers that said anything about a tier, and the visits to this tier that they reported. */
  readonly answers: number
  readonly visits: number
  /** The minute that is being measured. */
  readonly sinceMs: number
  readonly us: number
  readonly times: Histogram
  readonly loads: number
  readonly loadUs: number
  /** The minutes before: mean service time and variability of each. The newest is last. */
  readonly minutes: readonly { readonly ms: number; readonly variability: number }[]
}

export type TierMeasures = Readonly<Record<string, TierMeasure>>

export interface ServiceEstimate {
  readonly serviceMs: number
  readonly variability: number
  /** β_i */
  readonly visits: number
}

const MINUTE_MS = 60_000
const MOST_MINUTES = 60
/** Fewer visits say too little. */
const LEAST_VISITS = 100
/** When so many answers are counted, all counts are halved, so that old ones fade. */
const MOST_ANSWERS = 20_000
/**
 * Reported times include waiting when the tier is busy. The lowest quarter of the minutes is nearest to the service
 * time itself.
 */
const QUIET_PART = 0.25
/** A mean load has no variance. Exponential service is assumed. */
const UNKNOWN_VARIABILITY = 1

const NO_MEASURE: TierMeasure = {
  answers: 0,
  visits: 0,
  sinceMs: 0,
  us: 0,
  times: EMPTY_HISTOGRAM,
  loads: 0,
  loadUs: 0,
  minutes: [],
}

export function tiersAfter(before: TierMeasures, seen: TiersFeedback, nowMs: number): TierMeasures {
  const after: Record<string, TierMeasure> = { ...before }
  for (const [name, feedback] of Object.entries(seen)) {
    const known = before[name] ?? { ...NO_MEASURE, sinceMs: nowMs }
    const added: TierMeasure = {
      ...known,
      answers: known.answers + feedback.answers,
      visits: known.visits + feedback.visits,
      us: known.us + feedback.us,
      times: mergeHistograms(known.times, feedback.times),
      loads: known.loads + feedback.loads,
      loadUs: known.loadUs + feedback.loadUs,
    }
    after[name] = faded(withMinute(added, nowMs))
  }
  return after
}

/** null: the tier has said too little about itself. */
export function serviceOf(measure: TierMeasure | undefined): ServiceEstimate | null {
  if (measure === undefined) return null
  const newest = minuteOf(measure)
  const all = newest === null ? measure.minutes : [...measure.minutes, newest]
  if (all.length === 0) return null
  const sorted = all.toSorted((a, b) => a.ms - b.ms)
  const quiet = sorted[Math.floor(QUIET_PART * (sorted.length - 1))]!
  const visits = measure.answers > 0 && measure.visits > 0 ? measure.visits / measure.answers : 1
  return { serviceMs: quiet.ms, variability: quiet.variability, visits }
}

function withMinute(measure: TierMeasure, nowMs: number): TierMeasure {
  const minute = minuteOf(measure)
  if (minute === null || nowMs - measure.sinceMs < MINUTE_MS) return measure
  const minutes = [...measure.minutes, minute].slice(-MOST_MINUTES)
  return { ...measure, sinceMs: nowMs, us: 0, times: EMPTY_HISTOGRAM, loads: 0, loadUs: 0, minutes }
}

function minuteOf({
  us,
  times,
  loads,
  loadUs,
}: TierMeasure): TierMeasure['minutes'][number] | null {
  const count = histogramTotal(times)
  if (count >= LEAST_VISITS) return { ms: us / count / 1000, variability: variabilityOf(times) }
  if (loads >= LEAST_VISITS) return { ms: loadUs / loads / 1000, variability: UNKNOWN_VARIABILITY }
  return null
}

function faded(measure: TierMeasure): TierMeasure {
  const { answers, visits } = measure
  return answers < MOST_ANSWERS ? measure : { ...measure, answers: answers / 2, visits: visits / 2 }
}

const isTierMeasure = object({
  answers: atLeastZero,
  visits: atLeastZero,
  sinceMs: atLeastZero,
  us: atLeastZero,
  times: isHistogram,
  loads: atLeastZero,
  loadUs: atLeastZero,
  minutes: list(object({ ms: atLeastZero, variability: atLeastZero })),
})

export const isTierMeasures: StateSchema = record(isTierMeasure)
