import type { Decision, Learner, Sample } from '../../src/control/learner.ts'
import type { Policy, PolicyFactory, Setting, View } from './policy.ts'
import { TokenBucket } from './token-bucket.ts'

export type LearnerFactory = (setting: Setting) => Learner

/** Enforces what a learner decides, each decision from `delayMs` after it was made. */
class LearnerPolicy implements Policy {
  readonly #learner: Learner
  readonly #view: View
  readonly #setting: Setting
  readonly #bucket = new TokenBucket()
  readonly #credits: Float64Array
  /** Made and not yet in force, oldest first. */
  #coming: { readonly fromMs: number; readonly decision: Decision }[] = []
  #inForce: Decision | undefined

  constructor(learner: Learner, view: View, setting: Setting) {
    this.#learner = learner
    this.#view = view
    this.#setting = setting
    this.#credits = new Float64Array(setting.classes.length).fill(0.5)
  }

  get limit(): number {
    return this.#bucket.rate
  }

  tick(sample: Sample, nowMs: number): void {
    const decision = this.#learner.update(sample)
    this.#coming.push({ fromMs: nowMs + this.#setting.delayMs, decision })
    this.#bringIntoForce(nowMs)
  }

  admits(klass: number, nowMs: number): boolean {
    this.#bringIntoForce(nowMs)
    const decision = this.#inForce
    if (decision === undefined) return true // nothing decided yet: the start-up rule `admit`
    const { inFlight, probabilities } = decision
    if (inFlight != null && this.#view.inFlight >= inFlight) return false
    if (probabilities !== undefined && !this.#draw(klass, probabilities)) return false
    return this.#bucket.take(nowMs)
  }

  /** Dithered: the admitted number keeps to p × draws within one. */
  #draw(klass: number, probabilities: Readonly<Record<string, number>>): boolean {
    this.#credits[klass]! += probabilities[this.#setting.classes[klass]!.key] ?? 1
    if (this.#credits[klass]! < 1) return false
    this.#credits[klass]! -= 1
    return true
  }

  #bringIntoForce(nowMs: number): void {
    while (this.#coming.length > 0 && this.#coming[0]!.fromMs <= nowMs) {
      const { decision, fromMs } = this.#coming.shift()!
      this.#inForce = decision
      const rate = decision.limit ?? Number.POSITIVE_INFINITY
      this.#bucket.set(rate, decision.burst ?? this.#defaultBurst(rate), fromMs)
    }
  }

  /** Where the learner leaves it open: what comes in a tick, and never less than three. */
  #defaultBurst(rate: number): number {
    return Math.max(3, (rate * this.#setting.tickMs) / 1000)
  }
}

export function learnerPolicy(create: LearnerFactory): PolicyFactory {
  return (view, setting) => new LearnerPolicy(create(setting), view, setting)
}
