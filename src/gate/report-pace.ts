import type { Plan } from '../protocol/plan.ts'
import { REPORT_EVERY_MS } from '../protocol/report-interval.ts'
import type { OriginState } from './origin-state.ts'

/** So many requests are worth a report: only an isolate with fewer in a second may report less often. */
const WORTH_A_REPORT = 30
/** Its own rate has risen if so many more requests come in a second than before its last report. */
const RISEN_FACTOR = 2
const RISEN_AT_LEAST = 5

/**
 * How often this isolate reports: as often as its receiver says. In calm it is once a second, and decides whether this
 * second's report may be left out: with little traffic, and nothing that others must know.
 */
export class ReportPace {
  readonly #state: OriginState
  /** null: it is not calm. */
  #calmMs: number | null = null
  #everyMs = REPORT_EVERY_MS
  #reportedAtMs = Number.NEGATIVE_INFINITY
  /** Requests since the last report, since the last one that was left out, and per second before the last report. */
  #requests = 0
  #newest = 0
  #rate = 0
  #inFlight = 0

  constructor(state: OriginState) {
    this.#state = state
  }

  /** `everyMs`: what the answer with this plan says. */
  follow({ calmMs }: Plan, everyMs = REPORT_EVERY_MS): void {
    this.#calmMs = calmMs ?? null
    this.#everyMs = everyMs
  }

  /** The time between two reports, sent or left out. */
  get everyMs(): number {
    return this.isCalm ? REPORT_EVERY_MS : this.#everyMs
  }

  /** A report was not answered. The receiver may have more than it can take. */
  failed(): void {
    this.#everyMs = REPORT_EVERY_MS
  }

  /** The plan in force may not hold any more: nobody must wait for a report. */
  endCalm(): void {
    this.#calmMs = null
  }

  get isCalm(): boolean {
    return this.#calmMs !== null
  }

  arrive(): void {
    this.#requests++
    this.#newest++
  }

  /** A second has passed without a report. */
  leftOut(): void {
    this.#newest = 0
  }

  reported(nowMs: number): void {
    const seconds = (nowMs - this.#reportedAtMs) / 1000
    this.#rate = seconds > 0 ? this.#requests / seconds : 0
    this.#reportedAtMs = nowMs
    this.#requests = 0
    this.#newest = 0
    this.#inFlight = this.#state.open.size
  }

  isDue(nowMs: number): boolean {
    const elapsedMs = nowMs - this.#reportedAtMs
    // A clock that was set back must not keep reports back.
    if (this.#calmMs === null || !(elapsedMs >= 0) || elapsedMs >= this.#calmMs) return true
    return (
      this.#requests >= WORTH_A_REPORT ||
      hasRisen(this.#newest, this.#rate) ||
      hasRisen(this.#state.open.size, this.#inFlight) ||
      this.#state.hasTrouble
    )
  }
}

const hasRisen = (now: number, before: number): boolean =>
  now >= RISEN_FACTOR * before + RISEN_AT_LEAST
