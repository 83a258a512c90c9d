import { EMPTY_HISTOGRAM, type Histogram, isHistogram, mergeHistograms } from '../../histogram.ts'
import type { Decision, Learner, LearnerState, Sample } from '../learner.ts'
import { resolveOptions } from '../options.ts'
import { failedOf, isSample, percentileMs, rateOf } from '../sample.ts'
import { atLeastZero, exactly, list, nullable, object, type Shape, text } from '../shape.ts'
import {
  AIMD_OPTIONS,
  type AimdOptions,
  decreased,
  inBounds,
  increased,
  judge,
  relativeError,
  smooth,
  startRate,
} from './aimd-law.ts'
import type { LearnerKind } from './kind.ts'

interface AimdState extends LearnerState {
  readonly version: 1
  /** null until the first completions. */
  readonly limit: number | null
  /** Since the controller last ran: how long, and how much was offered. */
  readonly elapsedMs: number
  readonly offered: number
  readonly tiers: readonly TierState[]
}

interface TierState {
  readonly name: string
  /** cur: the smoothed percentile. */
  readonly currentMs: number | null
  /** Since the controller last ran. */
  readonly latency: Histogram
  readonly failed: number
  readonly completed: number
}

const FRESH: AimdState = { version: 1, limit: null, elapsedMs: 0, offered: 0, tiers: [] }

export const isAimdState = object({
  version: exactly(1),
  limit: nullable(atLeastZero),
  elapsedMs: atLeastZero,
  offered: atLeastZero,
  tiers: list(
    object({
      name: text,
      currentMs: nullable(atLeastZero),
      latency: isHistogram as Shape,
      failed: atLeastZero,
      completed: atLeastZero,
    }),
  ),
})

/** SEDA's response-time controller (Welsh and Culler 2003, §3.2). Of several tiers the slowest counts. */
export class AimdLearner implements Learner<AimdState> {
  readonly #options: AimdOptions
  #state: AimdState

  constructor(options: Readonly<Record<string, unknown>> = {}, state: unknown = null) {
    this.#options = resolveOptions(AIMD_OPTIONS, options)
    this.#state = isAimdState(state) ? (state as AimdState) : FRESH
  }

  get state(): AimdState {
    return this.#state
  }

  update(sample: Sample): Decision {
    const { limit } = this.#state
    if (!isSample(sample)) return { limit, reason: 'invalid' }
    const { samples, timeoutMs } = this.#options
    const gathered = gather(this.#state, sample)
    const completed = gathered.tiers.reduce((sum, tier) => sum + tier.completed, 0)
    this.#state = gathered
    if (gathered.elapsedMs < timeoutMs && completed < samples) return { limit, reason: 'no-data' }
    this.#state = { ...gathered, elapsedMs: 0, offered: 0 }
    if (completed === 0) return { limit, reason: limit === null ? 'cold' : 'no-data' }
    return this.#run(sample, gathered)
  }

  #run(sample: Sample, gathered: AimdState): Decision {
    const o = this.#options
    const offered = gathered.offered / (gathered.elapsedMs / 1000)
    const judged = sample.tiers.map((tier) => judgeTier(tier, gathered, o))
    const error = Math.max(...judged.map((tier) => tier.error))
    const reason = judge(error, o)
    const limit = next(gathered.limit, reason, error, offered, servedOf(sample), o)
    this.#state = { ...this.#state, limit, tiers: judged.map((tier) => tier.state) }
    return { limit, reason }
  }
}

function next(
  limit: number | null,
  reason: 'slow' | 'fast' | 'steady',
  error: number,
  offered: number,
  served: number,
  o: AimdOptions,
): number {
  if (limit === null) return startRate(served, reason, o)
  if (reason === 'slow') return decreased(limit, o)
  return reason === 'fast' ? increased(limit, error, offered, o) : inBounds(limit, o)
}

/** Adds the tick to what the controller will look at when it runs. Tiers that are gone are forgotten. */
function gather(state: AimdState, sample: Sample): AimdState {
  const seconds = sample.lengthMs / 1000
  return {
    ...state,
    elapsedMs: state.elapsedMs + sample.lengthMs,
    offered: state.offered + rateOf(sample.offered, sample.granularity) * seconds,
    tiers: sample.tiers.map((tier) => {
      const known = state.tiers.find(({ name }) => name === tier.name)
      return {
        name: tier.name,
        currentMs: known?.currentMs ?? null,
        latency: mergeHistograms(known?.latency ?? EMPTY_HISTOGRAM, tier.latency),
        failed: (known?.failed ?? 0) + failedOf(tier),
        completed: (known?.completed ?? 0) + tier.completed,
      }
    }),
  }
}

/** A tier without completions keeps its estimate and has no say: an old value is no new evidence. */
function judgeTier(
  tier: Sample['tiers'][number],
  gathered: AimdState,
  o: AimdOptions,
): { state: TierState; error: number } {
  const known = gathered.tiers.find(({ name }) => name === tier.name)!
  const cleared = { ...known, latency: EMPTY_HISTOGRAM, failed: 0, completed: 0 }
  const percentile = o.percentile > 0 ? o.percentile : tier.percentile
  const sampleMs = percentileMs(known.latency, known.failed, percentile, tier.targetMs)
  if (sampleMs === null) return { state: cleared, error: Number.NEGATIVE_INFINITY }
  const currentMs = smooth(known.currentMs, sampleMs, o)
  return { state: { ...cleared, currentMs }, error: relativeError(currentMs, tier.targetMs) }
}

/** The admitted rate, or the part of it that the origin kept up with. */
function servedOf({ admitted, goodput, granularity }: Sample): number {
  const kept = admitted.requests > 0 ? Math.min(1, goodput / admitted.requests) : 1
  return rateOf(admitted, granularity) * kept
}

export const aimd: LearnerKind = {
  text: "SEDA's response-time controller: additive increase, multiplicative decrease.",
  options: AIMD_OPTIONS,
  accepts: (_options, state) => isAimdState(state),
  create: (options, state) => new AimdLearner(options, state),
}
