import type { RouteSetup, Setup } from '../../protocol/feedback.ts'
import type { OverrideChange } from './action.ts'

/** A setting of an operator that holds instead of the configured one: a plain JSON value. */
export interface Override {
  /** That of its entry in the audit log. */
  readonly id: string
  readonly route: string
  readonly change: OverrideChange
  readonly by: string
  readonly sinceMs: number
  /** It ends by itself at this time; null: it holds until it is undone. */
  readonly untilMs: number | null
}

/** The overrides that have not ended, the oldest first. */
export function unended(overrides: readonly Override[], nowMs: number): readonly Override[] {
  const isOver = ({ untilMs }: Override): boolean => untilMs !== null && untilMs <= nowMs
  return overrides.some(isOver) ? overrides.filter((one) => !isOver(one)) : overrides
}

/** When the next of these ends; infinity: none does by itself. */
export function nextEndMs(open: readonly Pick<Override, 'untilMs'>[]): number {
  return Math.min(...open.map(({ untilMs }) => untilMs ?? Number.POSITIVE_INFINITY))
}

/** Overrides with the same key set the same thing. The newest holds; an older one holds again when it ends. */
export function overrideKey({ route, change }: Pick<Override, 'route' | 'change'>): string {
  // The limit belongs to the origin.
  if (change.action === 'limit') return 'limit'
  return JSON.stringify([route, change.action, 'class' in change ? change.class : null])
}

/** Those that hold: for each key the newest. */
export function inForce(overrides: readonly Override[]): readonly Override[] {
  return [...new Map(overrides.map((one) => [overrideKey(one), one])).values()]
}

/** The setup with the overrides in it. Its id stays: it names what the edge is configured with. */
export function setupWith(setup: Setup, overrides: readonly Override[]): Setup {
  if (overrides.length === 0) return setup
  const holding = inForce(overrides)
  const routes = setup.routes.map((route) =>
    holding.filter((one) => one.route === route.name).reduce(routeWith, route),
  )
  return { ...setup, routes }
}

/** The fixed limit in force, and the route in whose granularity it is; null: the learner sets the limit. */
export function fixedLimit(
  overrides: readonly Override[],
): { readonly route: string; readonly limit: number } | null {
  const newest = overrides.findLast(({ change }) => change.action === 'limit')
  if (newest?.change.action !== 'limit') return null
  return { route: newest.route, limit: newest.change.limit }
}

function routeWith(route: RouteSetup, { change }: Override): RouteSetup {
  switch (change.action) {
    case 'mode':
      return { ...route, mode: change.mode }
    case 'target':
      return {
        ...route,
        sla: { ...route.sla, targets: [{ fromRate: 0, targetMs: change.targetMs }] },
      }
    case 'value':
      return classWith(route, change.class, { value: change.value })
    case 'guaranteed':
      return classWith(route, change.class, { guaranteed: change.guaranteed })
    case 'limit':
      return route
  }
}

function classWith(
  route: RouteSetup,
  name: string,
  change: { readonly value?: number; readonly guaranteed?: number },
): RouteSetup {
  const classes = route.classes.map((one) => (one.name === name ? { ...one, ...change } : one))
  return { ...route, classes }
}
