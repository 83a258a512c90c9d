import type { Runtime } from '../../lib/runtime.ts'
import { REFUSE, type Verdict } from '../../protocol/verdict.ts'
import type { OriginAdmission } from '../origin-admission.ts'
import type { WaitingRequest } from './policer.ts'

/** A timer may fire a little early. Then another one is set, but not without end. */
const MOST_WAKES = 3

/**
 * Waits until the batch of a waiting request is judged. Every request sleeps for itself, and the first one to wake
 * gives all their verdicts: a promise or timer that requests shared would die with the request that made it.
 * null: the client has gone.
 */
export async function awaitVerdict(
  waiting: WaitingRequest,
  admission: OriginAdmission,
  runtime: Runtime,
  signal: AbortSignal | null,
): Promise<Verdict | null> {
  const leave = (): void => admission.release(waiting)
  signal?.addEventListener('abort', leave)
  for (let i = 0; i < MOST_WAKES && waiting.verdict === null && !signal?.aborted; i++) {
    await runtime.sleep(Math.max(1, waiting.dueMs - runtime.now()))
    admission.judgeBatches(runtime.now())
  }
  signal?.removeEventListener('abort', leave)
  if (signal?.aborted) return null
  if (waiting.verdict === null) leave()
  return waiting.verdict ?? REFUSE.batch
}
