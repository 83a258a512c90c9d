import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import type { OperatorPort } from '../coordinator/operator/desk-messages.ts'
import type { Identity } from './auth/identity.ts'

/** What the handlers of the admin app get. */
export interface AdminEnv {
  Bindings: TidegateBindings
  Variables: { identity: Identity; port: OperatorPort }
}
