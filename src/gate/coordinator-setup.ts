import { originNameOf, type Route } from '../config/config.ts'
import { fnv1a } from '../lib/hash.ts'
import type { PoolServer, Setup } from '../protocol/feedback.ts'

/** What the coordinator must know about the routes to one origin. */
export function coordinatorSetup(routes: readonly Route[], sinceMs: number): Setup {
  const first = routes[0]!
  const servers = poolServers(first)
  const rest: Omit<Setup, 'id' | 'sinceMs'> = {
    origin: originNameOf(first),
    tickMs: first.tickMs,
    learner: first.learner,
    order: first.order,
    routes: routes.map(({ name, granularity, mode, sla, police, classes, degrade }) => ({
      name,
      granularity,
      mode,
      sla,
      police,
      ...(degrade?.quality
        ? { quality: { min: degrade.quality.min, steps: degrade.quality.steps } }
        : {}),
      classes: classes.map(({ name, value, guaranteed, tier, sla }) => ({
        name,
        value,
        guaranteed,
        tier,
        ...(sla ? { sla } : {}),
      })),
    })),
    ...(servers.length > 1 ? { servers } : {}),
    ...(first.capacity === null ? {} : { capacity: first.capacity }),
  }
  return { id: digest(JSON.stringify(rest)), sinceMs, ...rest }
}

/** The configuration makes sure that all routes to an origin have the same servers. */
function poolServers({ origin }: Route): readonly PoolServer[] {
  return (origin?.servers ?? []).map(({ url, weight }) => ({ url, weight }))
}

/** Differs between two versions of a configuration. */
const digest = (text: string): string => (fnv1a(text) >>> 0).toString(16).padStart(8, '0')
