import type { Mode } from '../../config/config.ts'
import type { RoutesFeedback } from '../../protocol/merge-reports.ts'
import type { CapacityAnswer } from '../capacity/answer.ts'
import type { CoordinatorCore } from '../coordinator-core.ts'
import type { ReportCounts } from './route-status.ts'

/** What metrics are made from: the counters and levels of one origin. */
export interface OriginSnapshot {
  readonly origin: string
  /** All that was ever counted, by route and class. */
  readonly totals: RoutesFeedback
  readonly reports: ReportCounts
  readonly planAgeMs: number
  readonly isOvercommitted: boolean
  readonly servers: readonly { readonly url: string; readonly isDown: boolean }[]
  readonly dataCentres: number
  readonly routes: readonly RouteLevels[]
  /** How many servers are needed; null: no capacity is planned. */
  readonly capacity: CapacityAnswer | null
}

export interface RouteLevels {
  readonly name: string
  readonly mode: Mode
  readonly limit: number | null
  readonly targetMs: number
  /** By class, of those with an SLA of their own. Absent: an object of an older version has answered. */
  readonly classTargetsMs?: Readonly<Record<string, number>>
  /** Served per second in the newest tick. */
  readonly goodput: number
  readonly overrides: number
  /** By class, at the newest tick. */
  readonly inFlight: Readonly<Record<string, number>>
  /** By class. */
  readonly probability: Readonly<Record<string, number>>
  /** People in the waiting room, by class; empty: nobody has waited. */
  readonly waiting: Readonly<Record<string, number>>
}

/** null: no report has come yet. Totals of routes and classes that are no longer configured are left out. */
export function snapshotOf(
  core: CoordinatorCore,
  totals: RoutesFeedback,
  reports: ReportCounts,
  nowMs: number,
): OriginSnapshot | null {
  const statuses = core.status(nowMs)
  const [first] = statuses
  if (first === undefined) return null
  const newest = core.ticks.at(-1)
  return {
    origin: first.origin,
    totals: Object.fromEntries(
      statuses.map(({ name, plan }) => [name, ofClasses(totals[name], Object.keys(plan.classes))]),
    ),
    reports,
    planAgeMs: first.planAgeMs,
    isOvercommitted: first.overcommitted,
    servers: first.servers.map(({ url, isDown }) => ({ url, isDown })),
    dataCentres: first.senders,
    capacity: core.capacity.answer,
    routes: statuses.map(({ name, mode, plan, now, overrides, queues = {} }) => ({
      ...{ name, mode, limit: plan.limit, targetMs: plan.targetMs },
      classTargetsMs: Object.fromEntries(
        Object.entries(plan.classes).flatMap(([key, { targetMs }]) =>
          targetMs === undefined ? [] : [[key, targetMs] as const],
        ),
      ),
      goodput: now?.served ?? 0,
      overrides: overrides.length,
      inFlight: mapValues(
        plan.classes,
        (_, key) => newest?.routes[name]?.classes[key]?.inFlight ?? 0,
      ),
      probability: mapValues(plan.classes, ({ probability }) => probability),
      waiting: mapValues(queues, ({ waiting }) => waiting),
    })),
  }
}

function ofClasses(
  route: RoutesFeedback[string] | undefined,
  names: readonly string[],
): RoutesFeedback[string] {
  const classes = names.flatMap((name) =>
    route?.classes[name] ? [[name, route.classes[name]!] as const] : [],
  )
  return { classes: Object.fromEntries(classes), ages: [] }
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From, key: string) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
}
