import type { QualityPlan } from '../protocol/plan.ts'

/** The lowest quality that an isolate has chosen by itself holds for this long, until a plan knows of the surge. */
const OWN_CHOICE_MS = 1500
/** One request in so many gets the step above, to measure what a step saves. */
const COMPARE_EVERY = 16

/** Quality at which a request goes to the origin. */
export interface RequestQuality {
  /** 0: full quality. */
  readonly step: number
  readonly of: number
  /** The part of the load that is saved, as measured. */
  readonly saved: number
}

/**
 * The quality of one route in this isolate. The plan says the step. If a request does not fit at that step, the isolate goes
 * to the lowest one by itself, before it refuses anything.
 */
export class RouteQuality {
  #plan: QualityPlan | undefined
  #lowestUntilMs = Number.NEGATIVE_INFINITY
  #sent = 0
  /** After a step down the tokens are those of the step before. One request needs none. */
  #hasGrace = false

  follow(plan: QualityPlan | undefined): void {
    if (plan !== undefined && plan.step > (this.#plan?.step ?? 0)) this.#hasGrace = true
    this.#plan = plan
  }

  /** The load of a request, where 1 is one at the plan's step. */
  load(nowMs: number): number {
    return this.#plan !== undefined && nowMs < this.#lowestUntilMs ? this.#plan.lowest : 1
  }

  /** A request did not fit. False: quality is at its lowest already. */
  lower(nowMs: number): boolean {
    const plan = this.#plan
    if (this.#hasGrace) {
      this.#hasGrace = false
      return true
    }
    if (plan === undefined || plan.step === plan.of || nowMs < this.#lowestUntilMs) return false
    this.#lowestUntilMs = nowMs + OWN_CHOICE_MS
    return true
  }

  isLow(nowMs: number): boolean {
    return this.#plan !== undefined && (this.#plan.step > 0 || nowMs < this.#lowestUntilMs)
  }

  /** The quality of the next request. */
  next(nowMs: number): RequestQuality | null {
    const plan = this.#plan
    if (plan === undefined) return null
    const isOwnChoice = nowMs < this.#lowestUntilMs
    const isCompared = !isOwnChoice && plan.step > 0 && this.#sent++ % COMPARE_EVERY === 0
    const step = isOwnChoice ? plan.of : isCompared ? plan.step - 1 : plan.step
    return { step, of: plan.of, saved: plan.saved[step] ?? 0 }
  }
}
