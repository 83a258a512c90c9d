import type { Coordinator } from './coordinator.ts'
import type { Relay } from './relay.ts'

/** The bindings of wrangler.toml that the gate needs. */
export interface TidegateBindings {
  readonly TIDEGATE_COORDINATOR: DurableObjectNamespace<Coordinator>
  readonly TIDEGATE_RELAY: DurableObjectNamespace<Relay>
}
