import type { Random } from '../engine/random.ts'
import type { Outcome } from '../engine/requests.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import { everyRequest, type Limiter } from './every-request.ts'
import { peerOf } from './peer.ts'
import { type Success, successful } from './success.ts'
import { TrailingCounts } from './trailing-counts.ts'

export interface SreThrottlingOptions {
  /** K: requests sent per accepted request. Range: above 1. @default 2 */
  readonly multiplier?: number
  /** Length of the sliding window. @default 120 */
  readonly windowS?: number
  /** With fewer requests in the window it refuses nothing. @default 0 */
  readonly leastRequests?: number
  /**
   * What counts as accepted. The book's backends refuse what they cannot do in time. An origin with
   * a queue shows overload by late answers instead. @default 'in time'
   */
  readonly success?: Success
}

const SRE_THROTTLING_DEFAULTS = {
  multiplier: 2,
  windowS: 120,
  leastRequests: 0,
  success: 'in time',
} as const satisfies SreThrottlingOptions

/** Client-side throttling of "Site Reliability Engineering" (2016), chapter 21, "Handling Overload". */
export class SreThrottling implements Limiter {
  readonly #options: Required<SreThrottlingOptions>
  readonly #targetMs: number
  readonly #random: Random
  readonly #requests: TrailingCounts
  readonly #accepts: TrailingCounts

  constructor(options: SreThrottlingOptions, targetMs: number, random: Random) {
    this.#options = { ...SRE_THROTTLING_DEFAULTS, ...options }
    this.#targetMs = targetMs
    this.#random = random
    this.#requests = new TrailingCounts(this.#options.windowS, 1000)
    this.#accepts = new TrailingCounts(this.#options.windowS, 1000)
  }

  refusalProbability(nowMs: number): number {
    const { multiplier, leastRequests } = this.#options
    const requests = this.#requests.total(nowMs)
    if (requests < leastRequests) return 0
    const accepts = this.#accepts.total(nowMs)
    return Math.max(0, (requests - multiplier * accepts) / (requests + 1))
  }

  accepts(_inFlight: number, nowMs: number): boolean {
    return this.#random.next() >= this.refusalProbability(nowMs)
  }

  /** Requests count when they are tried, also those refused here. */
  refused(nowMs: number): void {
    this.#requests.add(1, nowMs)
  }

  sent(nowMs: number): void {
    this.#requests.add(1, nowMs)
  }

  finished(outcome: Outcome, latencyMs: number, _inFlight: number, nowMs: number): void {
    if (successful(this.#options.success, outcome, latencyMs, this.#targetMs)) {
      this.#accepts.add(1, nowMs)
    }
  }
}

function sreThrottlingPolicy(options: SreThrottlingOptions): PolicyFactory {
  return (view, { sla, granularity }, { random }) => {
    const limiter = new SreThrottling(options, sla.targetMs, random('sre-throttling'))
    return everyRequest(view, limiter, granularity === 'request')
  }
}

export const sreThrottling = peerOf('sre-throttling', sreThrottlingPolicy, {
  defaults: {},
  'K 1.5': { multiplier: 1.5 },
  'K 1.1': { multiplier: 1.1 },
  'K 1.05': { multiplier: 1.05 },
  'K 1.1, 10 s': { multiplier: 1.1, windowS: 10 },
  'K 1.1, 3 s': { multiplier: 1.1, windowS: 3 },
})
