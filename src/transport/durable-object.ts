import type { TidegateBindings } from '../../durable-objects/bindings.ts'
import type { DeskAnswer, OperatorPort } from '../coordinator/operator/desk-messages.ts'
import type { CoordinatorPort } from '../protocol/coordinator-port.ts'

/** The coordinator as a Durable Object, reached through the relay of this colo. */
export function durableObjectPort(
  env: Pick<TidegateBindings, 'TIDEGATE_RELAY'>,
  origin: string,
  colo: string,
  region?: string,
): CoordinatorPort {
  return {
    report(feedback) {
      // A new stub each time, because a stub is unusable after an error.
      return env.TIDEGATE_RELAY.getByName(relayName(origin, colo)).report(feedback, region)
    },
  }
}

/** The coordinators as Durable Objects, for the admin API. */
export function durableObjectDesk(
  env: Pick<TidegateBindings, 'TIDEGATE_COORDINATOR'>,
): OperatorPort {
  const stubOf = (origin: string) => env.TIDEGATE_COORDINATOR.getByName(origin)
  return {
    async ask(origin, request) {
      return JSON.parse(await stubOf(origin).ask(request)) as DeskAnswer
    },
    live(origin, route, request) {
      const url = `https://coordinator.tidegate.invalid/?route=${encodeURIComponent(route)}`
      return stubOf(origin).fetch(url, { headers: request.headers })
    },
  }
}

export const relayName = (origin: string, colo: string): string => `${origin}@${colo}`

/** The continent of the data centre that took the request, as far as it is known. */
export function regionOf(request: Request): string | undefined {
  const continent = (request as { cf?: { continent?: unknown } }).cf?.continent
  return typeof continent === 'string' && /^[A-Z]{2}$/.test(continent) ? continent : undefined
}

/** The data centre that took the request. */
export function coloOf(request: Request): string {
  return String((request as { cf?: { colo?: unknown } }).cf?.colo ?? 'local')
}
