import type { Decision, Sample } from '../learners/learner-interface.ts'
import { rateOf } from '../learners/sample.ts'
import type { Plan } from '../protocol/plan.ts'
import { SHARED } from '../protocol/plan-limits.ts'
import type { ClassLimitStates } from './class-limits.ts'

/** Draws by an older plan say nothing about the loop: their isolate was cut off. */
const LONGEST_MS = 20_000
/** How many decisions are remembered. */
const REMEMBERED = 32
/**
 * Admitted over told is corrected by this power of it in each tick, up to a factor either way. Both are averaged over about ten
 * ticks, and only what is beyond the chance of so many admissions is corrected: a single tick is off by its length.
 */
const CORRECTION_GAIN = 0.1
const MOST_CORRECTION = 1.5
const KEPT = 0.9
/** Ticks of an onset: its bursts are no lasting excess. */
const ONSET_TICKS = 5
/** Only where clearly more is offered than told does the edge decide how much is admitted. */
const CLEARLY_MORE = 1.3
/** Without overload the correction is forgotten: a part of it in each tick. */
const FORGOTTEN = 0.05

interface Issued {
  readonly atMs: number
  /** By name. One that is not there is not known. */
  readonly limits: ReadonlyMap<string, number | null>
}

/**
 * What the coordinator knows of its own loop: how old the plans are by which draws were decided, what limit was in
 * force then, and how much was admitted of it. Time is the coordinator's own, so no clock of the edge matters.
 */
export class LoopMeasures {
  /** Newest last. */
  #issued: Issued[] = []
  #correction = 1
  /** Sessions of the last ticks. */
  #admitted = 0
  #told = 0
  /** Ticks in a row in which clearly more was offered. */
  #ticks = 0
  #observedAtMs = Number.NEGATIVE_INFINITY
  #calmAtMs = Number.NEGATIVE_INFINITY

  /** Decisions go out with a plan of this time. `own`: those on classes that are limited by themselves, by class key. */
  issued(atMs: number, { limit }: Decision, isCalm = false, own: ClassLimitStates = {}): void {
    if (isCalm) this.#calmAtMs = atMs
    const ofOwn = Object.entries(own).map(([key, { decision }]) => [key, decision.limit] as const)
    this.#issued.push({ atMs, limits: new Map([[SHARED, limit], ...ofOwn]) })
    if (this.#issued.length > REMEMBERED) this.#issued.shift()
  }

  /**
   * The fields of a sample that say how the loop works. `planIssuedAtMs` is the mean over the tick's draws. `name`: of the
   * limit that the sample is about.
   */
  measure(
    planIssuedAtMs: number | null,
    lengthMs: number,
    nowMs: number,
    name = SHARED,
  ): Pick<Sample, 'deadTimeMs' | 'told'> {
    // In calm reports are left out, so that plans get old. That says nothing about the loop.
    if (planIssuedAtMs === null || planIssuedAtMs <= this.#calmAtMs) return {}
    if (nowMs - planIssuedAtMs > LONGEST_MS) return {}
    // Whole milliseconds, without the noise of sums: a learner takes no amount that is nearly nothing.
    const deadTimeMs = Math.round(Math.max(0, nowMs - planIssuedAtMs - lengthMs))
    const told = this.#limitAt(planIssuedAtMs, name)
    return told === null ? { deadTimeMs } : { deadTimeMs, told }
  }

  /**
   * Admitted over told. Sessions that the edge admits too much stay, so this is corrected step by step. Requests are soon
   * gone, and the relays take them into account.
   */
  observe(sample: Sample, nowMs: number): void {
    const { told } = sample
    // A clock may be set back.
    const elapsedS = Math.max(0, (nowMs - this.#observedAtMs) / 1000)
    this.#observedAtMs = nowMs
    const offered = rateOf(sample.offered, sample.granularity)
    if (
      told === undefined ||
      !(told > 0) ||
      sample.granularity === 'request' ||
      offered < CLEARLY_MORE * told
    ) {
      this.#correction += FORGOTTEN * (1 - this.#correction)
      this.#admitted = 0
      this.#told = 0
      this.#ticks = 0
      return
    }
    if (++this.#ticks <= ONSET_TICKS) return
    const seconds = sample.lengthMs / 1000
    this.#admitted = KEPT * this.#admitted + rateOf(sample.admitted, sample.granularity) * seconds
    // By the clock: the time that reports stand for is known within some per cent only.
    this.#told = KEPT * this.#told + told * Math.min(elapsedS, 2 * seconds)
    if (!(this.#told > 0)) return
    const error = this.#admitted / this.#told - 1
    const chance = 1 / Math.sqrt(this.#told)
    const beyond = Math.sign(error) * Math.max(0, Math.abs(error) - chance)
    const step = Math.min(2, Math.max(0.5, 1 + beyond)) ** CORRECTION_GAIN
    this.#correction = Math.min(
      MOST_CORRECTION,
      Math.max(1 / MOST_CORRECTION, this.#correction * step),
    )
  }

  /** The plan with what is drawn divided by the measured excess. */
  corrected(plan: Plan): Plan {
    const by = this.#correction
    // Where draws decide, the limit is none that the edge keeps.
    if (plan.draws !== undefined) return plan
    if (plan.drawLimit === null || Math.abs(by - 1) < 0.01) return plan
    return { ...plan, drawLimit: plan.drawLimit / by }
  }

  /** The limit in force, between the decisions before and after. */
  #limitAt(atMs: number, name: string): number | null {
    const index = this.#issued.findIndex((one) => one.atMs > atMs)
    const after = this.#issued[index === -1 ? this.#issued.length - 1 : index]
    const before = this.#issued[Math.max(0, index === -1 ? this.#issued.length - 1 : index - 1)]
    const [first, last] = [before?.limits.get(name) ?? null, after?.limits.get(name) ?? null]
    if (before === undefined || after === undefined || first === null || last === null) return null
    const part = after.atMs > before.atMs ? (atMs - before.atMs) / (after.atMs - before.atMs) : 0
    return first + Math.min(1, Math.max(0, part)) * (last - first)
  }
}
