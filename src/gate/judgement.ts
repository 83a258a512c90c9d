import type { ClassCounters } from '../measure/counters.ts'
import type { Admit, Refuse, Verdict } from '../protocol/verdict.ts'
import type { Session } from './session-cookie.ts'

/** What was decided of a request, and what its answer needs. */
export interface Judgement {
  readonly verdict: Verdict
  /** null where the request is not counted (bypass, off). */
  readonly tally: ClassCounters | null
  readonly className: string | null
  readonly session: Session | null
  /** Its inherent service time; 0 where that is not known, or does not matter. */
  readonly serviceMs: number
  /** For a refusal: seconds until the next draw, and the note that says so. */
  readonly retryAfterS: number
  readonly note: string | null
}

// Written out one by one: an object of one shape is made in one piece, one that is spread together is not.

/** It passes as if there were no gate. */
export function uncounted(verdict: Admit): Judgement {
  return {
    verdict,
    tally: null,
    className: null,
    session: null,
    serviceMs: 0,
    retryAfterS: 0,
    note: null,
  }
}

/** `session` is the one that it belongs to; null: it is a new one. */
export function letIn(
  verdict: Verdict,
  tally: ClassCounters,
  className: string,
  session: Session | null,
  serviceMs: number,
): Judgement {
  return { verdict, tally, className, session, serviceMs, retryAfterS: 0, note: null }
}

export function keptOut(
  verdict: Refuse,
  tally: ClassCounters,
  className: string,
  retryAfterS: number,
  note: string | null,
): Judgement {
  return { verdict, tally, className, session: null, serviceMs: 0, retryAfterS, note }
}
