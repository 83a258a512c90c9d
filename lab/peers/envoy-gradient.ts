import type { Random } from '../engine/random.ts'
import { ABANDONED, type Outcome } from '../engine/requests.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import { everyRequest, type Limiter } from './every-request.ts'
import { peerOf } from './peer.ts'
import { quantile } from './quantile.ts'

export interface EnvoyGradientOptions {
  /** `sample_aggregate_percentile`, of the samples and of the minRTT. Range: 0 to 100. @default 50 */
  readonly percentile?: number
  /** `concurrency_update_interval`; Envoy has no default. @default 100, its documentation's example */
  readonly updateIntervalMs?: number
  /** `interval` between measurements of the minRTT; Envoy has no default. @default 60 000, the example's */
  readonly minRttIntervalMs?: number
  /** Up to this share of the interval is added at random. Range: 0 to 1. @default 0.15 */
  readonly jitter?: number
  /** `request_count`: answers per measurement. Range: from 1. @default 50 */
  readonly requestCount?: number
  /**
   * `min_concurrency`: the limit during a measurement, and the minimum at all times. Range: from 1.
   * @default 3
   */
  readonly minConcurrency?: number
  /**
   * Response times up to this share above the minRTT do not count as queueing. Range: from 0.
   * @default 0.25
   */
  readonly buffer?: number
  /** `max_concurrency_limit`. @default 1000 */
  readonly maxLimit?: number
  /** `fixed_value` of the minRTT, as a share of the SLA's target; null: measured. @default null */
  readonly minRttOfTarget?: number | null
}

export const ENVOY_GRADIENT_DEFAULTS = {
  percentile: 50,
  updateIntervalMs: 100,
  minRttIntervalMs: 60_000,
  jitter: 0.15,
  requestCount: 50,
  minConcurrency: 3,
  buffer: 0.25,
  maxLimit: 1000,
  minRttOfTarget: null,
} as const satisfies EnvoyGradientOptions

/** Consecutive updates at the minimum limit after which the minRTT is measured again. */
const MOST_UPDATES_AT_LEAST = 5

/** Envoy's adaptive concurrency filter: its gradient controller. */
export class EnvoyGradient implements Limiter {
  readonly #options: Required<EnvoyGradientOptions>
  readonly #random: Random
  readonly #fixed: boolean
  #limit: number
  #minRttMs: number
  #samplesMs: number[] = []
  /** During a measurement of the minRTT: its start, and the limit to restore. */
  #measuring: { readonly sinceMs: number; readonly limit: number } | undefined
  #updateMs = 0
  #measureMs = Number.POSITIVE_INFINITY
  #updatesAtLeast = 0

  constructor(options: EnvoyGradientOptions, targetMs: number, random: Random) {
    this.#options = { ...ENVOY_GRADIENT_DEFAULTS, ...options }
    this.#random = random
    const { minConcurrency, minRttOfTarget, updateIntervalMs } = this.#options
    this.#limit = minConcurrency
    this.#fixed = minRttOfTarget !== null
    this.#minRttMs = (minRttOfTarget ?? 0) * targetMs
    this.#updateMs = updateIntervalMs
    if (!this.#fixed) this.#measure(0)
  }

  get limit(): number {
    return this.#limit
  }

  get minRttMs(): number {
    return this.#minRttMs
  }

  accepts(inFlight: number, nowMs: number): boolean {
    this.#catchUp(nowMs)
    return inFlight < this.#limit
  }

  finished(outcome: Outcome, latencyMs: number, _inFlight: number, nowMs: number): void {
    this.#catchUp(nowMs)
    if (outcome === ABANDONED) return // A stream that was reset gives no sample.
    if (this.#measuring && nowMs - latencyMs < this.#measuring.sinceMs) return
    this.#samplesMs.push(latencyMs)
    if (this.#measuring && this.#samplesMs.length >= this.#options.requestCount) this.#rest(nowMs)
  }

  /** Runs the timers that were due before now. */
  #catchUp(nowMs: number): void {
    while (!this.#measuring && Math.min(this.#updateMs, this.#measureMs) <= nowMs) {
      if (this.#measureMs <= this.#updateMs) this.#measure(this.#measureMs)
      else this.#update()
    }
  }

  #measure(nowMs: number): void {
    this.#measuring = { sinceMs: nowMs, limit: this.#limit }
    this.#limit = Math.min(this.#limit, this.#options.minConcurrency)
    this.#samplesMs = []
    this.#updatesAtLeast = 0
  }

  #rest(nowMs: number): void {
    const { percentile, minRttIntervalMs, jitter, updateIntervalMs } = this.#options
    this.#minRttMs = quantile(this.#samplesMs, percentile / 100)
    this.#limit = this.#measuring!.limit
    this.#measuring = undefined
    this.#samplesMs = []
    this.#updateMs = nowMs + updateIntervalMs
    this.#measureMs = nowMs + minRttIntervalMs * (1 + jitter * this.#random.next())
  }

  #update(): void {
    const { percentile, buffer, minConcurrency, maxLimit, updateIntervalMs } = this.#options
    const atMs = this.#updateMs
    this.#updateMs += updateIntervalMs
    if (this.#samplesMs.length === 0) return
    const sampleMs = quantile(this.#samplesMs, percentile / 100)
    this.#samplesMs = []
    const ratio = sampleMs > 0 ? (this.#minRttMs * (1 + buffer)) / sampleMs : 2
    const scaled = this.#limit * clamp(ratio, 0.5, 2) // the gradient
    this.#limit = clamp(Math.floor(scaled + Math.sqrt(scaled)), minConcurrency, maxLimit)
    this.#updatesAtLeast = this.#limit === minConcurrency ? this.#updatesAtLeast + 1 : 0
    if (!this.#fixed && this.#updatesAtLeast >= MOST_UPDATES_AT_LEAST) this.#measure(atMs)
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

function envoyGradientPolicy(options: EnvoyGradientOptions): PolicyFactory {
  return (view, { sla }, { random }) =>
    everyRequest(view, new EnvoyGradient(options, sla.targetMs, random('envoy-gradient')))
}

export const envoyGradient = peerOf('envoy-gradient', envoyGradientPolicy, {
  defaults: {},
  p90: { percentile: 90 },
  'p90, at least 20': { percentile: 90, minConcurrency: 20 },
  'p90, 1 s, at least 10': { percentile: 90, updateIntervalMs: 1000, minConcurrency: 10 },
  'p50, 1 s, minRTT 0.2 target': { updateIntervalMs: 1000, minRttOfTarget: 0.2 },
  'p95, 1 s, minRTT 0.4 target': { percentile: 95, updateIntervalMs: 1000, minRttOfTarget: 0.4 },
})
