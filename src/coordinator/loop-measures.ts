import type { Decision, Sample } from '../learners/learner-interface.ts'
import { rateOf } from '../learners/sample.ts'
import type { Plan } from '../protocol/plan.ts'

/** Draws by an older plan say nothing about the loop: their isolate was cut off. */
const LONGEST_MS = 20_000
/** How many decisions are remembered. */
const REMEMBERED = 32
/**
 * Admitted over told is corrected by this power of it in each tick, up to the bound. The time that reports stand for is
 * known within some per cent, so only an excess beyond `TOLERATED` is one.
 */
const CORRECTION_GAIN = 0.1
const MOST_CORRECTION = 1.5
const TOLERATED = 1.15
/** Only where clearly more is offered than told does the edge decide how much is admitted. */
const CLEARLY_MORE = 1.3
/** Without overload the correction is forgotten: a part of it in each tick. */
const FORGOTTEN = 0.05
/**
 * A cap that the edge holds by slots is not always used: the end of a request may be heard of late, or never. While
 * people are refused and the level is clearly below the cap, the cap that is told grows, up to the bound.
 */
const UNUSED = 0.7
const LEVEL_WEIGHT = 0.2
const CAP_GROWTH = 1.05
const CAP_FALL = 0.9
const MOST_CAP_CORRECTION = 3
const REFUSING = 1.1

interface Issued {
  readonly atMs: number
  readonly limit: number | null
}

/**
 * What the coordinator knows of its own loop: how old the plans are by which draws were decided, what limit was in
 * force then, and how much was admitted of it. Time is the coordinator's own, so no clock of the edge matters.
 */
export class LoopMeasures {
  /** Newest last. */
  #issued: Issued[] = []
  #correction = 1
  #capCorrection = 1
  #cap: number | null = null
  /** Mean level of requests in flight. */
  #level = 0
  #calmAtMs = Number.NEGATIVE_INFINITY

  /** A decision goes out with a plan of this time. */
  issued(atMs: number, { limit, inFlightCap = null }: Decision, isCalm = false): void {
    this.#cap = inFlightCap
    if (isCalm) this.#calmAtMs = atMs
    this.#issued.push({ atMs, limit })
    if (this.#issued.length > REMEMBERED) this.#issued.shift()
  }

  /** The fields of a sample that say how the loop works. `planIssuedAtMs` is the mean over the sample's draws. */
  measure(
    planIssuedAtMs: number | null,
    lengthMs: number,
    nowMs: number,
  ): Pick<Sample, 'deadTimeMs' | 'told'> {
    // In calm reports are left out, so that plans get old. That says nothing about the loop.
    if (planIssuedAtMs === null || planIssuedAtMs <= this.#calmAtMs) return {}
    if (nowMs - planIssuedAtMs > LONGEST_MS) return {}
    // Whole milliseconds, without the noise of sums: a learner takes no amount that is nearly nothing.
    const deadTimeMs = Math.round(Math.max(0, nowMs - planIssuedAtMs - lengthMs))
    const told = this.#limitAt(planIssuedAtMs)
    return told === null ? { deadTimeMs } : { deadTimeMs, told }
  }

  /**
   * Admitted over told. Sessions that the edge admits too much stay, so this is corrected step by step. Requests are soon
   * gone, and the relays take them into account.
   */
  observe(sample: Sample): void {
    this.#observeCap(sample)
    const { told } = sample
    const offered = rateOf(sample.offered, sample.granularity)
    if (
      told === undefined ||
      !(told > 0) ||
      sample.granularity === 'request' ||
      offered < CLEARLY_MORE * told
    ) {
      this.#correction += FORGOTTEN * (1 - this.#correction)
      return
    }
    const ratio = rateOf(sample.admitted, sample.granularity) / told
    const excess = ratio > TOLERATED ? ratio : Math.min(1, ratio)
    const step = Math.min(2, Math.max(0.5, excess)) ** CORRECTION_GAIN
    this.#correction = Math.min(MOST_CORRECTION, Math.max(1, this.#correction * step))
  }

  /** The level of requests in flight over the cap that the learner wants. */
  #observeCap({ offered, admitted, inFlight, told, granularity, tiers, lengthMs }: Sample): void {
    if (this.#cap === null || granularity === 'session') return
    // Little's law: what was completed spent so much inside, also between two reports.
    const spent = tiers.reduce((sum, { latencyUs }) => sum + latencyUs, 0) / (1000 * lengthMs)
    this.#level += LEVEL_WEIGHT * (Math.max(inFlight, spent) - this.#level)
    const isRefusing = offered.requests > REFUSING * admitted.requests
    const isByRate = told !== undefined && admitted.requests > 0.9 * told
    if (inFlight > this.#cap) this.#capCorrection = Math.max(1, this.#capCorrection * CAP_FALL)
    else if (!isRefusing || isByRate) this.#capCorrection += FORGOTTEN * (1 - this.#capCorrection)
    else if (this.#level < UNUSED * this.#cap)
      this.#capCorrection = Math.min(MOST_CAP_CORRECTION, this.#capCorrection * CAP_GROWTH)
  }

  /** The plan with what is drawn divided by the measured excess, and the cap as it must be told to be used. */
  corrected(plan: Plan): Plan {
    return this.#correctedCap(this.#correctedLimit(plan))
  }

  #correctedCap(plan: Plan): Plan {
    const by = this.#capCorrection
    if (plan.inFlightCap === null || by < 1.01) return plan
    return { ...plan, inFlightCap: plan.inFlightCap * by }
  }

  #correctedLimit(plan: Plan): Plan {
    const by = this.#correction
    // Where draws decide, the limit is none that the edge keeps.
    if (plan.draws !== undefined) return plan
    if (plan.drawLimit === null || Math.abs(by - 1) < 0.01) return plan
    return { ...plan, drawLimit: plan.drawLimit / by }
  }

  /** The limit in force, between the decisions before and after. */
  #limitAt(atMs: number): number | null {
    const index = this.#issued.findIndex((one) => one.atMs > atMs)
    const after = this.#issued[index === -1 ? this.#issued.length - 1 : index]
    const before = this.#issued[Math.max(0, index === -1 ? this.#issued.length - 1 : index - 1)]
    if (before === undefined || after === undefined) return null
    if (before.limit === null || after.limit === null) return null
    const part = after.atMs > before.atMs ? (atMs - before.atMs) / (after.atMs - before.atMs) : 0
    return before.limit + Math.min(1, Math.max(0, part)) * (after.limit - before.limit)
  }
}
