import type { SessionEnd } from '../clients/clients.ts'
import { ABANDONED, FAILED, type Outcome, SERVED } from '../engine/requests.ts'
import type { PlantSla } from './plant.ts'

/** Results of a run, all from the start of the measured period on. */
export interface Measured {
  /** Length of the measured period. */
  readonly seconds: number
  /** Requests answered within the target, weighted with the value of their class. */
  readonly inSlaValue: number
  readonly served: number
  readonly failed: number
  readonly abandoned: number
  /**
   * Share of requests over the target. A failure counts, and so does a request abandoned after the
   * target.
   */
  readonly lateShare: number
  /** SLA windows with requests, and how many of them missed the target with their percentile. */
  readonly windows: number
  readonly windowsMissed: number
  /** Time until the percentile of the last 60 s stays within the target; 0 if it always was. */
  readonly recoverySeconds: number
  readonly offered: number
  readonly refused: number
  /** Refusals at moments when the clairvoyant saw room to spare. */
  readonly refusedWithRoom: number
  /** Came back too early: refused without a draw, and not counted as offered. */
  readonly early: number
  /** Standard deviation over mean of the admissions per minute. */
  readonly admittedVariation: number
  readonly sessions: Readonly<Record<SessionEnd, number>>
}

const RECOVERY_WINDOW_S = 60
/**
 * A miss after this time is not attributed to the onset, unless the target was missed all the time
 * before.
 */
const RECOVERY_WITHIN_S = 300
const VARIATION_S = 60

/** Counts the outcomes of visitors and requests, second by second. */
export class Measures {
  readonly #sla: PlantSla
  readonly #fromMs: number
  readonly #values: readonly number[]
  readonly #inTime: Float64Array
  readonly #late: Float64Array
  readonly #admitted: Float64Array
  readonly #sessions = { completed: 0, abandoned: 0, broken: 0 }
  readonly #outcomes = new Float64Array(3)
  #value = 0
  #offered = 0
  #refused = 0
  #refusedWithRoom = 0
  #early = 0

  constructor(sla: PlantSla, values: readonly number[], fromMs: number, toMs: number) {
    this.#sla = sla
    this.#values = values
    this.#fromMs = fromMs
    const seconds = Math.max(1, Math.ceil((toMs - fromMs) / 1000)) + 1
    this.#inTime = new Float64Array(seconds)
    this.#late = new Float64Array(seconds)
    this.#admitted = new Float64Array(seconds)
  }

  asked(admitted: boolean, hadRoom: boolean, nowMs: number): void {
    if (nowMs < this.#fromMs) return
    this.#offered++
    if (admitted) this.#admitted[this.#second(nowMs)]!++
    else this.#refused++
    if (!admitted && hadRoom) this.#refusedWithRoom++
  }

  cameEarly(nowMs: number): void {
    if (nowMs >= this.#fromMs) this.#early++
  }

  finished(klass: number, latencyMs: number, outcome: Outcome, nowMs: number): void {
    if (nowMs < this.#fromMs) return
    this.#outcomes[outcome]!++
    if (outcome === FAILED || latencyMs > this.#sla.targetMs) this.#late[this.#second(nowMs)]!++
    else if (outcome !== ABANDONED) {
      this.#inTime[this.#second(nowMs)]!++
      this.#value += this.#values[klass]!
    }
  }

  sessionOver(end: SessionEnd, nowMs: number): void {
    if (nowMs >= this.#fromMs) this.#sessions[end]++
  }

  result(nowMs: number): Measured {
    const seconds = (nowMs - this.#fromMs) / 1000
    const windows = this.#windows()
    const late = sum(this.#late)
    const all = late + sum(this.#inTime)
    return {
      seconds,
      inSlaValue: this.#value,
      served: this.#outcomes[SERVED]!,
      failed: this.#outcomes[FAILED]!,
      abandoned: this.#outcomes[ABANDONED]!,
      lateShare: all === 0 ? 0 : late / all,
      windows: windows.length,
      windowsMissed: windows.filter((isMissed) => isMissed).length,
      recoverySeconds: this.#recoverySeconds(seconds),
      offered: this.#offered,
      refused: this.#refused,
      refusedWithRoom: this.#refusedWithRoom,
      early: this.#early,
      admittedVariation: variation(this.#admitted, Math.floor(seconds / VARIATION_S)),
      sessions: { ...this.#sessions },
    }
  }

  #second(nowMs: number): number {
    return Math.floor((nowMs - this.#fromMs) / 1000)
  }

  #isMissed(late: number, inTime: number): boolean {
    const all = late + inTime
    const allowed = 1 - this.#sla.percentile / 100
    // 1 − 95/100 is not exactly 0.05 in floating point: 5 of 100 must still be within.
    return late > all * (allowed + 1e-9)
  }

  /** For each window with requests: whether its percentile missed the target. */
  #windows(): boolean[] {
    const length = Math.max(1, Math.round(this.#sla.windowMs / 1000))
    const missed: boolean[] = []
    for (let from = 0; from < this.#late.length; from += length) {
      const late = sum(this.#late.subarray(from, from + length))
      const inTime = sum(this.#inTime.subarray(from, from + length))
      if (late + inTime > 0) missed.push(this.#isMissed(late, inTime))
    }
    return missed
  }

  #recoverySeconds(seconds: number): number {
    let late = 0
    let inTime = 0
    let recovered = 0
    for (let second = 0; second < seconds; second++) {
      late += this.#late[second]! - (this.#late[second - RECOVERY_WINDOW_S] ?? 0)
      inTime += this.#inTime[second]! - (this.#inTime[second - RECOVERY_WINDOW_S] ?? 0)
      if (this.#isMissed(late, inTime)) recovered = second + 1
      else if (second >= RECOVERY_WITHIN_S) break
    }
    return recovered
  }
}

function variation(perSecond: Float64Array, minutes: number): number {
  const counts = Array.from({ length: minutes }, (_, i) =>
    sum(perSecond.subarray(i * VARIATION_S, (i + 1) * VARIATION_S)),
  )
  const mean = counts.reduce((total, count) => total + count, 0) / minutes
  const variance = counts.reduce((total, count) => total + (count - mean) ** 2, 0) / minutes
  return mean > 0 ? Math.sqrt(variance) / mean : 0
}

function sum(counts: Float64Array): number {
  let total = 0
  for (const count of counts) total += count
  return total
}
