import type { CapacityRules } from './capacity-rules.ts'
import { originNameOf, type Route } from './config.ts'
import type { ParsedCapacity } from './schema/capacity.ts'

/** Capacity rules with every default filled in. `poolServers` is the number of the origin's servers. */
export function resolveCapacity(
  { tiers, group, webhook, ...rest }: ParsedCapacity,
  poolServers: number,
): CapacityRules {
  return {
    ...rest,
    webhook: webhook ?? null,
    group: group === undefined ? null : { ...group, origins: [] },
    tiers: tiers.map(({ name, metric, servers, part, serviceMs, concurrency, ...tier }, i) => {
      const standard = i === 0 ? Math.min(tier.max, Math.max(tier.min, poolServers)) : tier.min
      return {
        ...tier,
        name,
        metric: metric ?? name,
        servers: servers ?? standard,
        part: part ?? null,
        serviceMs: serviceMs ?? null,
        concurrency: concurrency ?? null,
      }
    }),
  }
}

/** Each group gets the names of its origins. */
export function withGroups(routes: readonly Route[]): readonly Route[] {
  const origins = new Map<string, Set<string>>()
  for (const route of routes) {
    const group = route.capacity?.group
    if (!group) continue
    const known = origins.get(group.name) ?? new Set()
    origins.set(group.name, known.add(originNameOf(route)))
  }
  return routes.map((route) => {
    const { capacity } = route
    if (!capacity?.group) return route
    const group = { ...capacity.group, origins: [...origins.get(capacity.group.name)!].toSorted() }
    return { ...route, capacity: { ...capacity, group } }
  })
}
