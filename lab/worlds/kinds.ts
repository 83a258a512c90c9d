import { summaryOf, type WorldResult } from './result.ts'
import type { WorldSpec } from './spec.ts'

/** By what worlds are grouped to see where a policy loses. */
const KINDS: Readonly<Record<string, (world: WorldSpec) => string>> = {
  granularity: ({ traffic }) => (traffic.session === null ? 'requests' : 'sessions'),
  isolates: ({ edge }) => range(edge.isolates, [1, 2, 10, 100]),
  capacity: ({ origin }) =>
    `${range((origin.servers * 1000) / origin.service.meanMs, [0, 20, 100, 500])}/s`,
  overload: ({ traffic }) => `x${range(traffic.overload, [1, 2, 5, 10])}`,
  arrivals: ({ traffic }) => traffic.arrivals.shape,
  start: ({ onsetS }) => (onsetS === 0 ? 'cold' : 'after calm'),
  service: ({ origin }) => origin.service.law,
  discipline: ({ origin }) => origin.discipline,
  thrashing: ({ origin }) => (origin.thrashesAbove === null ? 'no' : 'yes'),
  'fail-fast': ({ origin }) => (origin.failsAbove === null ? 'no' : 'yes'),
  trouble: ({ trouble }) => trouble.kind,
  percentile: ({ sla }) => `p${sla.percentile}`,
  classes: ({ traffic }) => String(Math.max(1, traffic.classes.length)),
  faults: ({ edge }) => (edge.lost + edge.late > 0 ? 'lost or late reports' : 'none'),
}

export interface KindRow {
  readonly kind: string
  readonly value: string
  readonly worlds: number
  readonly share: number
  readonly violations: number
}

/** Mean share and violations of each kind of world, for one policy. */
export function kindRows(
  worlds: readonly WorldSpec[],
  results: readonly WorldResult[],
): readonly KindRow[] {
  const byName = new Map(worlds.map((world) => [world.name, world]))
  return Object.entries(KINDS).flatMap(([kind, groupOf]) => {
    const groups = Map.groupBy(results, ({ world }) => groupOf(byName.get(world)!))
    return [...groups]
      .map(([value, group]) => {
        const { share, violations } = summaryOf(group)
        return { kind, value, worlds: group.length, share, violations }
      })
      .sort((a, b) => a.value.localeCompare(b.value, 'en', { numeric: true }))
  })
}

/** `2-9` of [1, 2, 10]. */
function range(value: number, bounds: readonly number[]): string {
  const at = bounds.findLastIndex((bound) => value >= bound)
  const next = bounds[at + 1]
  return next === undefined ? `${bounds[at]}+` : `${bounds[at]} to ${next}`
}
