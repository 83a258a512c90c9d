import { ABANDONED, FAILED, type Outcome, SERVED } from '../engine/requests.ts'

/**
 * What counts as a success for rivals that watch success rates. `answered`: no error. `in time`: answered
 * within the SLA's target, as if the origin or a time-out refused what is late; whoever gave up waiting was
 * not answered in time.
 */
export type Success = 'answered' | 'in time'

/** Undefined: neither a success nor a failure, because nothing was answered. */
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
