import type { Route } from '../config/config.ts'
import { APP_ORIGIN } from '../config/defaults.ts'
import type { PoolServer, Setup } from '../protocol/feedback.ts'

export const originNameOf = (route: Route): string => route.origin?.name ?? APP_ORIGIN

/** What the coordinator must know of the routes to one origin. */
export function setupOf(routes: readonly Route[], sinceMs: number): Setup {
  const first = routes[0]!
  const servers = poolServers(first)
  const rest: Omit<Setup, 'id' | 'sinceMs'> = {
    origin: originNameOf(first),
    tickMs: first.tickMs,
    learner: first.learner,
    order: first.order,
    routes: routes.map(({ name, granularity, mode, sla, police, classes }) => ({
      name,
      granularity,
      mode,
      sla,
      police,
      classes: classes.map(({ name, value, guaranteed, tier }) => ({
        name,
        value,
        guaranteed,
        tier,
      })),
    })),
    ...(servers.length > 1 ? { servers } : {}),
  }
  return { id: digest(JSON.stringify(rest)), sinceMs, ...rest }
}

/** The configuration sees to it that all routes to an origin have the same. */
function poolServers({ origin }: Route): readonly PoolServer[] {
  return (origin?.servers ?? []).map(({ url, weight }) => ({ url, weight }))
}

/** FNV-1a, 32 bits: tells two versions of a configuration apart, and needs to do no more. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
