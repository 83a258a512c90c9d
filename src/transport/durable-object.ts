import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import type { CoordinatorPort } from '../protocol/coordinator-port.ts'

/** The coordinator as a Durable Object, reached through the relay of this colo. */
export function durableObjectPort(
  env: Pick<TidegateBindings, 'TIDEGATE_RELAY'>,
  origin: string,
  colo: string,
): CoordinatorPort {
  return {
    report(feedback) {
      // A new stub each time, because a stub is unusable after an error.
      return env.TIDEGATE_RELAY.getByName(relayName(origin, colo)).report(feedback)
    },
  }
}

export const relayName = (origin: string, colo: string): string => `${origin}@${colo}`

/** The data centre that took the request. */
export function coloOf(request: Request): string {
  return String((request as { cf?: { colo?: unknown } }).cf?.colo ?? 'local')
}
