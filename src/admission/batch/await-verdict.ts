import type { Runtime } from '../../lib/runtime.ts'
import { REFUSE, type Verdict } from '../../protocol/verdict.ts'
import type { OriginAdmission } from '../origin-admission.ts'
import type { WaitingRequest } from './policer.ts'

/** A timer may fire slightly early. Then another one is set, up to this many for each time that the request is due. */
const MOST_WAKES = 3

/**
 * Waits for the verdict on the batch of a request. Every request has its own timer, and the first one to wake decides
 * for the whole batch: a shared timer would end together with the request that set it. null: the client has left.
 */
export async function awaitVerdict(
  waiting: WaitingRequest,
  admission: OriginAdmission,
  runtime: Runtime,
  signal: AbortSignal | null,
): Promise<Verdict | null> {
  const leave = (): void => admission.release(waiting)
  signal?.addEventListener('abort', leave)
  for (let wakes = 0; wakes < MOST_WAKES && waiting.verdict === null && !signal?.aborted; ) {
    const { dueMs } = waiting
    await runtime.sleep(Math.max(1, dueMs - runtime.now()))
    admission.judgeBatches(runtime.now())
    // A request that waits for another test has a new time.
    wakes = waiting.dueMs === dueMs ? wakes + 1 : 0
  }
  signal?.removeEventListener('abort', leave)
  if (signal?.aborted) return null
  if (waiting.verdict === null) leave()
  return waiting.verdict ?? REFUSE.batch
}
