import type { PolicyFactory } from '../gate/policy.ts'
import { everyRequest } from './every-request.ts'
import {
  type Limit,
  type LimitSample,
  WindowedLimit,
  type WindowOptions,
} from './netflix-window.ts'
import { peerOf } from './peer.ts'

interface AimdLimitOptions {
  /** Range: from 1. @default 20 */
  readonly initialLimit?: number
  /** Range: from 1. @default 20 */
  readonly minLimit?: number
  /** @default 200 */
  readonly maxLimit?: number
  /** Factor of the limit after a drop. Range: 0.5 to below 1. @default 0.9 */
  readonly backoff?: number
  /** A slower answer counts as a drop. @default 5000 */
  readonly timeoutMs?: number
}

export const AIMD_LIMIT_DEFAULTS = {
  initialLimit: 20,
  minLimit: 20,
  maxLimit: 200,
  backoff: 0.9,
  timeoutMs: 5000,
} as const satisfies AimdLimitOptions

/**
 * `AIMDLimit` of Netflix's concurrency-limits: plus one when in use, minus a tenth after a drop.
 */
export class AimdLimit implements Limit {
  readonly #options: Required<AimdLimitOptions>
  #limit: number

  constructor(options: AimdLimitOptions = {}) {
    this.#options = { ...AIMD_LIMIT_DEFAULTS, ...options }
    this.#limit = this.#options.initialLimit
  }

  get limit(): number {
    return this.#limit
  }

  update({ rttMs, inFlight, dropped }: LimitSample): void {
    const { minLimit, maxLimit, backoff, timeoutMs } = this.#options
    let wanted = this.#limit
    if (dropped || rttMs > timeoutMs) wanted = Math.floor(this.#limit * backoff)
    else if (2 * inFlight >= this.#limit) wanted = this.#limit + 1
    this.#limit = Math.max(minLimit, Math.min(maxLimit, wanted))
  }
}

interface AimdPolicyOptions extends Omit<AimdLimitOptions, 'timeoutMs'>, WindowOptions {
  /** The time-out as a share of the SLA's target; null: the library's default. @default null */
  readonly timeoutOfTarget?: number | null
}

/** As the library is used: each answer is a sample. */
function aimdLimitPolicy(options: AimdPolicyOptions): PolicyFactory {
  const { timeoutOfTarget = null, ...rest } = options
  return (view, { sla }) => {
    const timeoutMs =
      timeoutOfTarget === null ? AIMD_LIMIT_DEFAULTS.timeoutMs : timeoutOfTarget * sla.targetMs
    const limit = new AimdLimit({ ...rest, timeoutMs })
    return everyRequest(view, new WindowedLimit(limit, { windowMs: 0, ...rest }))
  }
}

export const netflixAimd = peerOf('netflix-aimd', aimdLimitPolicy, {
  defaults: {},
  'target, from 4': { timeoutOfTarget: 1, minLimit: 4 },
  'target, from 4, backoff 0.5': { timeoutOfTarget: 1, minLimit: 4, backoff: 0.5 },
  '0.5 target, from 4': { timeoutOfTarget: 0.5, minLimit: 4 },
  'mean 0.5 target, from 4': { timeoutOfTarget: 0.5, minLimit: 4, windowMs: 1000 },
  'mean 0.4 target, from 4': { timeoutOfTarget: 0.4, minLimit: 4, windowMs: 1000 },
})
