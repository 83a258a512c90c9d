import type { SessionEnd } from '../clients/clients.ts'
import { ABANDONED, FAILED, type Outcome } from '../engine/requests.ts'
import type { PlantSla } from './policy.ts'

/** What a run is judged by, all from the start of the measured period on. */
export interface Measured {
  /** Length of the measured period. */
  readonly seconds: number
  /** Requests answered within the target, each counted with its class's value. */
  readonly inSlaValue: number
  readonly served: number
  readonly failed: number
  readonly abandoned: number
  /** Share of the requests over the target; a failure is, and so is one abandoned after the target. */
  readonly lateShare: number
  /** SLA windows that had requests, and of these, those whose percentile missed the target. */
  readonly windows: number
  readonly windowsMissed: number
  readonly offered: number
  readonly refused: number
  /** Came back before they were told to: refused without a draw, and not among the offered. */
  readonly early: number
  readonly sessions: Readonly<Record<SessionEnd, number>>
}

/** Counts what became of the requests, window by window. */
export class Measures {
  readonly #sla: PlantSla
  readonly #fromMs: number
  readonly #values: readonly number[]
  readonly #inTime: Float64Array
  readonly #late: Float64Array
  readonly #sessions = { completed: 0, abandoned: 0, broken: 0 }
  readonly #outcomes = new Float64Array(3)
  #value = 0
  #offered = 0
  #refused = 0
  #early = 0

  constructor(sla: PlantSla, values: readonly number[], fromMs: number, toMs: number) {
    this.#sla = sla
    this.#values = values
    this.#fromMs = fromMs
    const windows = Math.max(1, Math.ceil((toMs - fromMs) / sla.windowMs))
    this.#inTime = new Float64Array(windows)
    this.#late = new Float64Array(windows)
  }

  asked(admitted: boolean, nowMs: number): void {
    if (nowMs < this.#fromMs) return
    this.#offered++
    if (!admitted) this.#refused++
  }

  cameEarly(nowMs: number): void {
    if (nowMs >= this.#fromMs) this.#early++
  }

  finished(klass: number, latencyMs: number, outcome: Outcome, nowMs: number): void {
    if (nowMs < this.#fromMs) return
    this.#outcomes[outcome]!++
    const window = Math.floor((nowMs - this.#fromMs) / this.#sla.windowMs)
    if (outcome === FAILED || latencyMs > this.#sla.targetMs) this.#late[window]!++
    else if (outcome !== ABANDONED) {
      this.#inTime[window]!++
      this.#value += this.#values[klass]!
    }
  }

  sessionOver(end: SessionEnd, nowMs: number): void {
    if (nowMs >= this.#fromMs) this.#sessions[end]++
  }

  result(nowMs: number): Measured {
    const allowed = 1 - this.#sla.percentile / 100
    let windows = 0
    let windowsMissed = 0
    let late = 0
    let all = 0
    for (let i = 0; i < this.#late.length; i++) {
      const total = this.#late[i]! + this.#inTime[i]!
      if (total === 0) continue
      windows++
      // 1 − 95/100 is not 0.05 to the last bit: 5 of 100 are still within.
      if (this.#late[i]! > allowed * total + 1e-9 * total) windowsMissed++
      late += this.#late[i]!
      all += total
    }
    return {
      seconds: (nowMs - this.#fromMs) / 1000,
      inSlaValue: this.#value,
      served: this.#outcomes[0]!,
      failed: this.#outcomes[FAILED]!,
      abandoned: this.#outcomes[ABANDONED]!,
      lateShare: all === 0 ? 0 : late / all,
      windows,
      windowsMissed,
      offered: this.#offered,
      refused: this.#refused,
      early: this.#early,
      sessions: { ...this.#sessions },
    }
  }
}
