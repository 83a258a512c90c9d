import { ABANDONED, FAILED, type Outcome, SERVED } from '../engine/requests.ts'

/**
 * What counts as a success for rivals that use success rates. `answered`: no error. `in time`:
 * answered within the SLA's target, as if the origin or a time-out refused late requests. An
 * abandoned request was not answered in time.
 */
export type Success = 'answered' | 'in time'

/** Undefined: neither a success nor a failure, because there was no answer. */
export function successful(
  success: Success,
  outcome: Outcome,
  latencyMs: number,
  targetMs: number,
): boolean | undefined {
  if (outcome === FAILED) return false
  if (success === 'answered') return outcome === ABANDONED ? undefined : true
  return outcome === SERVED && latencyMs <= targetMs
}
