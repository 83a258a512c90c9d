import { bucketFromMs, type Histogram, histogramTotal, quantileMs } from '../../lib/histogram.ts'
import { atLeastZero, list, object, type StateSchema } from '../../lib/state-schema.ts'

/** Response times of one tier without queueing: S0, and the distribution for P0 and the tail. */
export interface Baseline {
  /** S0 in seconds. */
  readonly meanS: number
  /** Completions seen; 0: nothing known. */
  readonly seen: number
  readonly shape: Histogram
  /** The most that was carried since response times last rose, per second, and the least of them since; 0: unknown. */
  readonly carried: number
  readonly leastS: number
  /** Mean response time of the last interval, if servers were idle in it; else 0. */
  readonly idleS: number
}

export const NO_BASELINE: Baseline = {
  meanS: 0,
  seen: 0,
  shape: [],
  carried: 0,
  leastS: 0,
  idleS: 0,
}

export const isBaseline: StateSchema = object({
  meanS: atLeastZero,
  seen: atLeastZero,
  shape: list(atLeastZero),
  carried: atLeastZero,
  leastS: atLeastZero,
  idleS: atLeastZero,
})

export interface BaselineEvidence {
  readonly meanS: number
  readonly served: number
  /** Served per second, of all tiers. */
  readonly rate: number
  readonly latency: Histogram
  readonly targetS: number
  /** Wait in units of half the slack. */
  readonly queueing: number
  /** More over the target than is aimed at. */
  readonly late: boolean
  /** Clients that gave up, per completion. */
  readonly givenUp: number
}

/** The first completions of a cold start are the short ones: they are forgotten within so many. */
const FIRST = 500
const MOST_SEEN = 1e6
const CALM = 0.25
const CREEP = 0.02
const SLOW_CREEP = 0.004
const FALL = 0.15
const SHAPE_MEMORY = 2000
/** A loss of half the capacity makes response times rise by more than this, a queue's own ups and downs by less. */
const RISE = 1.5
const IDLE = 0.5
const DRIFT = 0.1
/** Where more give up, response times are as long as patience is, whatever the load. */
const PATIENT = 0.05

/**
 * Falls readily and rises slowly, and only while little waits: queueing must not pass for slow service. A
 * service that became slower for good is believed in the end, as long as the target is kept, or when it proves
 * to be no queue.
 */
export function observeBaseline(before: Baseline, evidence: BaselineEvidence): Baseline {
  const { served, targetS } = evidence
  const baseline = carry(before, evidence)
  const seen = Math.min(baseline.seen + served, MOST_SEEN)
  if (baseline.idleS > 0 && before.idleS > 0) {
    // The first of them may have served what had waited before.
    return {
      ...baseline,
      meanS: Math.min(before.idleS, evidence.meanS),
      seen,
      shape: evidence.latency,
    }
  }
  const meanS = Math.min(evidence.meanS, Math.max(targetS / 2, baseline.meanS))
  const first = baseline.seen < FIRST
  const up = meanS > baseline.meanS
  if (up && baseline.seen > 0 && evidence.queueing >= CALM) {
    if (evidence.late || first) return { ...baseline, seen }
    return { ...baseline, meanS: Math.min(meanS, baseline.meanS * (1 + SLOW_CREEP)) }
  }
  const part = first ? served / (baseline.seen + served) : up ? CREEP : FALL
  return {
    ...baseline,
    meanS: baseline.meanS + part * (meanS - baseline.meanS),
    seen,
    shape: blend(baseline.shape, evidence.latency),
  }
}

/**
 * A queue keeps its servers busy however short it is. Where less than half is served of what was, and response times
 * have not risen in between, servers are idle: it is the service that takes so long. A loss of capacity makes them
 * rise: what was carried before it counts no more.
 */
function carry(before: Baseline, evidence: BaselineEvidence): Baseline {
  const { meanS, rate } = evidence
  if (meanS > RISE * before.leastS) return { ...before, carried: rate, leastS: meanS, idleS: 0 }
  const leastS = Math.min(before.leastS + DRIFT * (meanS - before.leastS), meanS)
  const carried = Math.max(before.carried, rate)
  const idle = rate < IDLE * carried && evidence.late && evidence.givenUp < PATIENT
  return { ...before, carried, leastS, idleS: idle ? meanS : 0 }
}

function blend(old: Histogram, fresh: Histogram): Histogram {
  const total = histogramTotal(old) + histogramTotal(fresh)
  const keep = total > SHAPE_MEMORY ? Math.max(0, 1 - histogramTotal(fresh) / SHAPE_MEMORY) : 1
  const cells = new Map<number, number>()
  for (let i = 0; i < old.length; i += 2) cells.set(old[i]!, old[i + 1]! * keep)
  for (let i = 0; i < fresh.length; i += 2) {
    cells.set(fresh[i]!, (cells.get(fresh[i]!) ?? 0) + fresh[i + 1]!)
  }
  return [...cells]
    .filter(([, count]) => count >= 0.05)
    .sort(([a], [b]) => a - b)
    .flatMap(([bucket, count]) => [bucket, Number(count.toPrecision(4))])
}

/** The time that all but `share` of the requests stay below without queueing, in seconds. */
export function baselineTailS({ shape, meanS }: Baseline, share: number): number {
  const ms = quantileMs(shape, 1 - share)
  return ms === null ? meanS * -Math.log(share) : ms / 1000
}

/** Squared coefficient of variation of the response time without queueing; 1 as long as nothing is known. */
export function baselineVariation({ shape }: Baseline): number {
  let total = 0
  let sum = 0
  let squares = 0
  for (let i = 0; i < shape.length; i += 2) {
    const ms = (bucketFromMs(shape[i]!) + bucketFromMs(shape[i]! + 1)) / 2
    total += shape[i + 1]!
    sum += shape[i + 1]! * ms
    squares += shape[i + 1]! * ms * ms
  }
  return sum > 0 ? Math.max(0, (squares * total) / (sum * sum) - 1) : 1
}
