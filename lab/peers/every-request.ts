import type { Outcome } from '../engine/requests.ts'
import type { Policy, View } from '../gate/policy.ts'

/** A rival that decides about each request separately, without sessions. */
export interface Limiter {
  /** Whether one more request may go to the origin when `inFlight` are in flight. */
  accepts(inFlight: number, nowMs: number): boolean
  refused?(nowMs: number): void
  sent?(nowMs: number): void
  /** `inFlight`: requests in flight when it was sent, including itself. */
  finished(outcome: Outcome, latencyMs: number, inFlight: number, nowMs: number): void
}

/**
 * Such a rival also refuses requests inside a session, which breaks the session off. When a session
 * asks for admission, no request goes to the origin yet. Rivals that count requests in flight are
 * asked anyway, and so refuse some sessions before they begin. Rivals that draw at random are not
 * asked (`asksForSessions` false on session routes), because a second draw per visitor would only harm
 * them.
 */
class EveryRequest implements Policy {
  readonly #view: View
  readonly #limiter: Limiter
  readonly #asksForSessions: boolean
  readonly #inFlightWhenSent: number[] = []

  constructor(view: View, limiter: Limiter, asksForSessions: boolean) {
    this.#view = view
    this.#limiter = limiter
    this.#asksForSessions = asksForSessions
  }

  admits(_klass: number, nowMs: number): boolean {
    return !this.#asksForSessions || this.#judge(nowMs)
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

export function everyRequest(view: View, limiter: Limiter, asksForSessions = true): Policy {
  return new EveryRequest(view, limiter, asksForSessions)
}
