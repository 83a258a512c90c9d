import type { Outcome } from '../engine/requests.ts'
import type { Policy, View } from '../gate/policy.ts'

/** A rival that judges each request for itself: it knows no sessions. */
export interface Limiter {
  /** Whether one more may go to the origin, where `inFlight` are under way. */
  accepts(inFlight: number, nowMs: number): boolean
  refused?(nowMs: number): void
  sent?(nowMs: number): void
  /** `inFlight`: how many were under way when it was sent, itself included. */
  finished(outcome: Outcome, latencyMs: number, inFlight: number, nowMs: number): void
}

/**
 * Such a rival refuses in the middle of a session as well, and breaks it off. When a session asks to be let
 * in, no request goes to the origin yet. Who counts requests in flight is asked all the same, and so turns
 * some away before they have begun; who throws coins is not (`judgesDoor` false on session routes), because
 * a second coin for every visitor would only hurt it.
 */
class EveryRequest implements Policy {
  readonly #view: View
  readonly #limiter: Limiter
  readonly #judgesDoor: boolean
  readonly #inFlightWhenSent: number[] = []

  constructor(view: View, limiter: Limiter, judgesDoor: boolean) {
    this.#view = view
    this.#limiter = limiter
    this.#judgesDoor = judgesDoor
  }

  admits(_klass: number, nowMs: number): boolean {
    return !this.#judgesDoor || this.#judge(nowMs)
  }

  admitsKnown(_klass: number, nowMs: number): boolean {
    return this.#judge(nowMs)
  }

  sent(id: number, _sending: unknown, nowMs: number): void {
    this.#inFlightWhenSent[id] = this.#view.inFlight
    this.#limiter.sent?.(nowMs)
  }

  finished(latencyMs: number, outcome: Outcome, nowMs: number, id: number): void {
    this.#limiter.finished(outcome, latencyMs, this.#inFlightWhenSent[id]!, nowMs)
  }

  #judge(nowMs: number): boolean {
    if (this.#limiter.accepts(this.#view.inFlight, nowMs)) return true
    this.#limiter.refused?.(nowMs)
    return false
  }
}

export function everyRequest(view: View, limiter: Limiter, judgesDoor = true): Policy {
  return new EveryRequest(view, limiter, judgesDoor)
}
