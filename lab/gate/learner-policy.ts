import { Dither } from '../../src/admission/dither.ts'
import { drawnDepth, probabilityByForecast } from '../../src/admission/forecast-draws.ts'
import { TokenBucket } from '../../src/admission/token-bucket.ts'
import type { Decision, Learner, Sample } from '../../src/learners/learner-interface.ts'
import { classKey } from './plant.ts'
import type { Policy, PolicyFactory, Setting, View } from './policy.ts'

export type LearnerFactory = (setting: Setting) => Learner

/**
 * Enforces a learner's decisions with a single gate that sees all traffic; each decision takes
 * effect after `delayMs`. It is fast and works with any learner. `runEdge` runs the whole product
 * between learner and visitors.
 */
class LearnerPolicy implements Policy {
  readonly #learner: Learner
  readonly #view: View
  readonly #setting: Setting
  readonly #delayMs: number
  readonly #bucket = new TokenBucket(0)
  readonly #dithers: readonly Dither[]
  /** Decisions that have not taken effect yet, oldest first. */
  #coming: { readonly fromMs: number; readonly decision: Decision }[] = []
  #inForce: Decision | undefined

  constructor(learner: Learner, view: View, setting: Setting, delayMs: number) {
    this.#learner = learner
    this.#view = view
    this.#setting = setting
    this.#delayMs = delayMs
    this.#dithers = setting.classes.map(() => new Dither(0.5))
  }

  get limit(): number {
    return this.#inForce?.limit ?? Number.POSITIVE_INFINITY
  }

  tick(sample: Sample, nowMs: number): void {
    const decision = this.#learner.update(sample)
    this.#coming.push({ fromMs: nowMs + this.#delayMs, decision })
    this.#bringIntoForce(nowMs)
  }

  admits(klass: number, nowMs: number): boolean {
    this.#bringIntoForce(nowMs)
    if (this.#inForce === undefined) return true // No decision yet: the start-up rule `admit`.
    const { limit, inFlightCap, probabilities, arrivals } = this.#inForce
    if (inFlightCap != null && this.#view.inFlight >= inFlightCap) return false
    if (probabilities !== undefined) {
      const probability = probabilities[classKey(this.#setting.classes[klass]!)] ?? 1
      if (!this.#dithers[klass]!.draw(probability)) return false
    }
    if (limit !== null && arrivals !== undefined && arrivals > limit) {
      const fullness = this.#bucket.fullness(nowMs)
      const probability = probabilityByForecast(limit / arrivals, fullness)
      if (!this.#dithers[klass]!.draw(probability)) return false
    }
    return limit === null || this.#bucket.take(1, 0, nowMs)
  }

  #bringIntoForce(nowMs: number): void {
    while (this.#coming.length > 0 && this.#coming[0]!.fromMs <= nowMs) {
      const { decision, fromMs } = this.#coming.shift()!
      this.#inForce = decision
      const rate = decision.limit ?? 0
      const burst = decision.arrivals === undefined ? this.#defaultBurst(rate) : drawnDepth(rate)
      this.#bucket.set(rate, decision.burst ?? burst, fromMs)
    }
  }

  /** If the learner leaves it open: the arrivals of one tick, at least three. */
  #defaultBurst(rate: number): number {
    return Math.max(3, (rate * this.#setting.tickMs) / 1000)
  }
}

export function learnerPolicy(create: LearnerFactory, delayMs: number): PolicyFactory {
  return (view, setting) => new LearnerPolicy(create(setting), view, setting, delayMs)
}
