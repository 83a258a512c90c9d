import type { Coordinator } from '../../durable-objects/coordinator.ts'
import type { OperatorAction } from '../../src/coordinator/operator/action.ts'
import type { DeskAnswer, DeskRequest } from '../../src/coordinator/operator/desk-messages.ts'
import type { AuditEntry } from '../../src/coordinator/operator/records.ts'
import type { RouteStatus } from '../../src/coordinator/operator/route-status.ts'
import { setupOf } from '../support/feedback.ts'

type Stub = DurableObjectStub<Coordinator>

/** Asks a coordinator as the admin API does. */
export async function askDesk<Value>(stub: Stub, request: DeskRequest): Promise<Value> {
  const answer = JSON.parse(await stub.ask(request)) as DeskAnswer
  if (!answer.ok) throw new Error(answer.detail)
  return answer.value as Value
}

export const statusesOf = (stub: Stub): Promise<RouteStatus[]> =>
  askDesk(stub, { op: 'status', routes: null })

/** Ada does something to the route `shop`. */
export const act = (
  stub: Stub,
  action: OperatorAction,
  forMs: number | null = null,
): Promise<AuditEntry> =>
  askDesk(stub, {
    ...{ op: 'act', route: 'shop', action, forMs, note: null, setup: setupOf() },
    operator: { by: 'Ada', via: 'token' },
  })
