import type { Random } from '../engine/random.ts'
import type { Outcome } from '../engine/requests.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import { everyRequest, type Limiter } from './every-request.ts'
import { peerOf } from './peer.ts'
import { type Success, successful } from './success.ts'
import { TrailingCounts } from './trailing-counts.ts'

export interface EnvoyAdmissionOptions {
  /** `sampling_window`, in buckets of a second. @default 30 */
  readonly windowS?: number
  /** `sr_threshold`: it refuses below this success rate. Range: above 0 to 1. @default 0.95 */
  readonly threshold?: number
  /** `aggression`: how steeply refusals rise. Range: from 1. @default 1 */
  readonly aggression?: number
  /** `rps_threshold`: below this rate it refuses nothing. @default 0 */
  readonly leastRate?: number
  /** `max_rejection_probability`. Range: 0 to 1. @default 0.8 */
  readonly mostRefused?: number
  /** Envoy uses the status only. @default 'answered' */
  readonly success?: Success
}

const ENVOY_ADMISSION_DEFAULTS = {
  windowS: 30,
  threshold: 0.95,
  aggression: 1,
  leastRate: 0,
  mostRefused: 0.8,
  success: 'answered',
} as const satisfies EnvoyAdmissionOptions

/**
 * Envoy's admission control filter. It does not count what it refuses, and records an outcome when
 * the headers arrive.
 */
export class EnvoyAdmission implements Limiter {
  readonly #options: Required<EnvoyAdmissionOptions>
  readonly #targetMs: number
  readonly #random: Random
  readonly #answers: TrailingCounts
  readonly #successes: TrailingCounts

  constructor(options: EnvoyAdmissionOptions, targetMs: number, random: Random) {
    this.#options = { ...ENVOY_ADMISSION_DEFAULTS, ...options }
    this.#targetMs = targetMs
    this.#random = random
    this.#answers = new TrailingCounts(this.#options.windowS, 1000)
    this.#successes = new TrailingCounts(this.#options.windowS, 1000)
  }

  refusalProbability(nowMs: number): number {
    const { windowS, threshold, aggression, leastRate, mostRefused } = this.#options
    const n = this.#answers.total(nowMs)
    if (n / windowS < leastRate) return 0
    const excess = (n - this.#successes.total(nowMs) / threshold) / (n + 1)
    return excess > 0 ? Math.min(excess ** (1 / aggression), mostRefused) : 0
  }

  accepts(_inFlight: number, nowMs: number): boolean {
    return this.#random.next() >= this.refusalProbability(nowMs)
  }

  finished(outcome: Outcome, latencyMs: number, _inFlight: number, nowMs: number): void {
    const success = successful(this.#options.success, outcome, latencyMs, this.#targetMs)
    if (success === undefined) return
    this.#answers.add(1, nowMs)
    if (success) this.#successes.add(1, nowMs)
  }
}

function envoyAdmissionPolicy(options: EnvoyAdmissionOptions): PolicyFactory {
  return (view, { sla, granularity }, { random }) => {
    const limiter = new EnvoyAdmission(options, sla.targetMs, random('envoy-admission'))
    return everyRequest(view, limiter, granularity === 'request')
  }
}

export const envoyAdmission = peerOf('envoy-admission', envoyAdmissionPolicy, {
  defaults: {},
  'late fails': { success: 'in time' },
  'late fails, aggression 2': { success: 'in time', aggression: 2 },
  'late fails, 10 s': { success: 'in time', windowS: 10, aggression: 1.5, mostRefused: 0.95 },
  'late fails, 98 %': { success: 'in time', threshold: 0.98, aggression: 2, mostRefused: 1 },
  'late fails, 98 %, 5 s': {
    success: 'in time',
    threshold: 0.98,
    aggression: 2,
    windowS: 5,
    mostRefused: 0.95,
  },
})
