import type { Coordinator } from './coordinator.ts'
import type { Passes } from './passes.ts'
import type { Relay } from './relay.ts'

/** The bindings that Tidegate needs in wrangler.toml. */
export interface TidegateBindings {
  readonly TIDEGATE_COORDINATOR: DurableObjectNamespace<Coordinator>
  readonly TIDEGATE_RELAY: DurableObjectNamespace<Relay>
  /** Only for passes with a key, or for one use. */
  readonly TIDEGATE_PASSES?: DurableObjectNamespace<Passes>
}
