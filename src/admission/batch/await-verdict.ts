import type { Runtime } from '../../lib/runtime.ts'
import { REFUSE, type Verdict } from '../../protocol/verdict.ts'
import type { Admission } from '../admission.ts'
import type { WaitingRequest } from './policer.ts'

/** A timer may come a little early: then there is another, but not without end. */
const MOST_WAKES = 3

/**
 * Waits until the batch of a held request is judged. Every request sleeps for itself, and the first one to wake
 * gives all their verdicts: a promise or timer that requests shared would die with the one that made it.
 * null: the client has gone, and has left its queue.
 */
export async function awaitVerdict(
  held: WaitingRequest,
  admission: Admission,
  runtime: Runtime,
  signal: AbortSignal,
): Promise<Verdict | null> {
  const leave = (): void => admission.release(held)
  signal.addEventListener('abort', leave)
  for (let i = 0; i < MOST_WAKES && held.verdict === null && !signal.aborted; i++) {
    await runtime.sleep(Math.max(1, held.dueMs - runtime.now()))
    admission.judge(runtime.now())
  }
  signal.removeEventListener('abort', leave)
  if (signal.aborted) return null
  if (held.verdict === null) leave()
  return held.verdict ?? REFUSE.batch
}
