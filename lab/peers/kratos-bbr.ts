import { ABANDONED, FAILED, type Outcome } from '../engine/requests.ts'
import type { PlantSla } from '../gate/plant.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import { everyRequest, type Limiter } from './every-request.ts'
import { peerOf } from './peer.ts'
import { TrailingCounts } from './trailing-counts.ts'

interface KratosBbrOptions {
  /** Length of the sliding window. @default 10 000 */
  readonly windowMs?: number
  /** Buckets of the window; the highest rate and the lowest time of a bucket count. @default 100 */
  readonly buckets?: number
  /**
   * kratos acts when the host's CPU is 80 % busy, which an edge cannot see. Here the origin counts
   * as busy while the SLA's percentile over the last second's answers is above this share of the
   * target. @default 1
   */
  readonly busyAt?: number
}

export const KRATOS_BBR_DEFAULTS = {
  windowMs: 10_000,
  buckets: 100,
  busyAt: 1,
} as const satisfies KratosBbrOptions

/**
 * After its first refusal it continues to refuse for this long, even if the origin is no longer
 * busy.
 */
const COOL_DOWN_MS = 1000

/**
 * The "BBR" limiter of go-kratos/aegis: the maximum in flight is the highest rate × the lowest mean
 * time.
 */
export class KratosBbr implements Limiter {
  readonly #sla: PlantSla
  readonly #busyAt: number
  readonly #bucketMs: number
  readonly #passes: TrailingCounts
  readonly #latencyMs: TrailingCounts
  readonly #answers = new TrailingCounts(10, 100)
  readonly #late = new TrailingCounts(10, 100)
  #estimated: { readonly bucket: number; readonly most: number } | undefined
  #refusedMs: number | undefined

  constructor(options: KratosBbrOptions, sla: PlantSla) {
    const { windowMs, buckets, busyAt } = { ...KRATOS_BBR_DEFAULTS, ...options }
    this.#sla = sla
    this.#busyAt = busyAt
    this.#bucketMs = windowMs / buckets
    this.#passes = new TrailingCounts(buckets, this.#bucketMs)
    this.#latencyMs = new TrailingCounts(buckets, this.#bucketMs)
  }

  accepts(inFlight: number, nowMs: number): boolean {
    if (this.#busy(nowMs)) {
      const refuses = this.#tooMany(inFlight, nowMs)
      if (refuses) this.#refusedMs ??= nowMs
      return !refuses
    }
    if (this.#refusedMs === undefined) return true
    if (nowMs - this.#refusedMs <= COOL_DOWN_MS) return !this.#tooMany(inFlight, nowMs)
    this.#refusedMs = undefined
    return true
  }

  /**
   * An error counts as a pass, with its time. An abandoned request only shows that the origin is
   * busy.
   */
  finished(outcome: Outcome, latencyMs: number, _inFlight: number, nowMs: number): void {
    if (outcome !== ABANDONED) {
      this.#passes.add(1, nowMs)
      this.#latencyMs.add(latencyMs, nowMs)
    }
    this.#answers.add(1, nowMs)
    const late = outcome === FAILED || latencyMs > this.#busyAt * this.#sla.targetMs
    if (late) this.#late.add(1, nowMs)
  }

  /**
   * maxPass × minRT × buckets per second, from the full buckets; cached for the length of one
   * bucket.
   */
  maxInFlight(nowMs: number): number {
    const bucket = Math.floor(nowMs / this.#bucketMs)
    if (this.#estimated?.bucket === bucket) return this.#estimated.most
    const passes = this.#passes.full(nowMs)
    const sumsMs = this.#latencyMs.full(nowMs)
    const means = passes.flatMap((count, i) => (count > 0 ? [sumsMs[i]! / count] : []))
    const maxPass = Math.max(1, ...passes)
    const minRttMs = Math.max(1, Math.ceil(Math.min(...means)))
    const most = Math.floor((maxPass * minRttMs) / this.#bucketMs)
    this.#estimated = { bucket, most }
    return most
  }

  #busy(nowMs: number): boolean {
    const allowed = 1 - this.#sla.percentile / 100
    return this.#late.total(nowMs) > allowed * this.#answers.total(nowMs)
  }

  #tooMany(inFlight: number, nowMs: number): boolean {
    return inFlight > 1 && inFlight > this.maxInFlight(nowMs)
  }
}

function kratosBbrPolicy(options: KratosBbrOptions): PolicyFactory {
  return (view, { sla }) => everyRequest(view, new KratosBbr(options, sla))
}

export const kratosBbr = peerOf('kratos-bbr', kratosBbrPolicy, {
  defaults: {},
  '10 buckets': { buckets: 10 },
  '10 buckets, busy at 0.8': { buckets: 10, busyAt: 0.8 },
  '20 buckets, busy at 0.6': { buckets: 20, busyAt: 0.6 },
  '5 s of 5 buckets, busy at 0.8': { windowMs: 5000, buckets: 5, busyAt: 0.8 },
  '60 s of 60 buckets, busy at 0.8': { windowMs: 60_000, buckets: 60, busyAt: 0.8 },
})
