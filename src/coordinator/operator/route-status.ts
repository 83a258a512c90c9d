import type { Granularity, Mode } from '../../config/config.ts'
import {
  LEARNER_REASONS,
  type Learner,
  type LoadPoint,
  type Reason,
} from '../../learners/learner-interface.ts'
import { percentileMs } from '../../learners/sample.ts'
import type { RouteSetup, Setup } from '../../protocol/feedback.ts'
import { mergeClass, mergeRoutes, NO_CLASS_FEEDBACK } from '../../protocol/merge-reports.ts'
import type { Plan, RoutePlan } from '../../protocol/plan.ts'
import type { CapacityAnswer } from '../capacity/answer.ts'
import type { CapacityState } from '../capacity/planner-state.ts'
import { underRouteTarget } from '../class-sla.ts'
import type { LastMinute, MinuteFigures, TickRecord } from '../last-minute.ts'
import { type QueueStatus, queueStatuses } from '../queue/queue-status.ts'
import type { SenderShare } from '../report-aggregator.ts'
import type { CoordinatorState } from '../state.ts'
import { type LearnedStatus, learnedStatus } from './learned-status.ts'
import { inForce, type Override, setupWith } from './override.ts'
import { type RouteSummary, summaryOf } from './summary.ts'
import { type TrafficPoint, trafficPoint } from './traffic-point.ts'

/** What an operator sees of a route. Other parts of Tidegate add sections of their own. */
export interface RouteStatus {
  readonly name: string
  readonly origin: string
  readonly granularity: Granularity
  /** The mode in force. */
  readonly mode: Mode
  readonly configuredMode: Mode
  readonly summary: RouteSummary
  /** The newest tick; null: there was none since the coordinator started. */
  readonly now: TrafficPoint | null
  readonly lastMinute: MinuteFigures & { readonly classes: Readonly<Record<string, MinuteFigures>> }
  readonly learner: LearnerStatus
  readonly learned: LearnedStatus
  readonly plan: RoutePlan
  readonly planAgeMs: number
  /** The guarantees at the origin are more than its limit. */
  readonly overcommitted: boolean
  /** The origin's pool; empty: a single server, or the handlers behind the middleware. */
  readonly servers: readonly ServerStatus[]
  /** Servers of the origin's pool that do not answer; absent: none. */
  readonly down?: readonly string[]
  /** How many servers the origin needs, and why. Absent: no capacity is planned, or nothing is known yet. */
  readonly capacity?: CapacityAnswer
  readonly dataCentres: readonly DataCentreStatus[]
  readonly overrides: readonly OverrideStatus[]
  readonly reports: ReportCounts
  /** Number of relays that report: one for each data centre with traffic. */
  readonly senders: number
  /** The waiting room, by class. Absent: nobody has waited. */
  readonly queues?: Readonly<Record<string, QueueStatus>>
}

interface LearnerStatus {
  readonly name: string
  readonly reason: string
  readonly meaning: string
  readonly state: unknown
  /** Load against response time: what was learned, or else what was observed. */
  readonly curve?: readonly LoadPoint[]
}

interface ServerStatus {
  readonly url: string
  readonly weight: number
  readonly isDown: boolean
}

interface DataCentreStatus {
  readonly name: string
  /** Its part of all draws. */
  readonly share: number
  /** Draws per second. */
  readonly offered: number
  readonly reportedMsAgo: number
}

/** An override that has not ended. A newer one of the same kind may cover it. */
interface OverrideStatus extends Override {
  readonly isCovered: boolean
}

export interface ReportCounts {
  readonly taken: number
  readonly repeated: number
  readonly refused: number
}

/** What a coordinator knows. */
export interface CoordinatorView {
  readonly state: CoordinatorState
  readonly plan: Plan
  readonly learner: Learner
  readonly lastMinute: LastMinute
  readonly overrides: readonly Override[]
  readonly reports: ReportCounts
  readonly senders: readonly SenderShare[]
}

/** The sentence is about the ticks of this time: long enough to be calm, short enough to be news. */
const RECENT_MS = 5000

/** The status of the routes with these names; null: of all. */
export function routeStatuses(
  view: CoordinatorView,
  nowMs: number,
  names: readonly string[] | null = null,
): readonly RouteStatus[] {
  const { state, plan, overrides } = view
  const inForceSetup = setupWith(state.setup, overrides)
  const recent = recentTicks(view.lastMinute.ticks, nowMs)
  const shared = sharedStatus(view, nowMs)
  return inForceSetup.routes.flatMap((route, i) => {
    const routePlan = plan.routes[route.name]
    if (routePlan === undefined || (names !== null && !names.includes(route.name))) return []
    const own = overrides.filter((one) => isOf(one, route.name))
    const holding = inForce(overrides)
    const classNames = route.classes.map((one) => one.name)
    const queues = queueStatuses(state.queues, route.name, classNames)
    return {
      name: route.name,
      origin: state.setup.origin,
      granularity: route.granularity,
      mode: route.mode,
      configuredMode: state.setup.routes[i]!.mode,
      summary: summaryOf({
        ...situationOf(view, route, routePlan, recent),
        waiting: Object.values(queues ?? {}).reduce((sum, { waiting }) => sum + waiting, 0),
      }),
      now: newestPoint(view.lastMinute.ticks.at(-1), route, routePlan),
      lastMinute: minuteOf(view.lastMinute, route),
      plan: routePlan,
      overrides: own.map((one) => ({ ...one, isCovered: !holding.includes(one) })),
      ...(queues === null ? {} : { queues }),
      ...shared,
    }
  })
}

/** What the routes of an origin have in common. */
function sharedStatus({ state, plan, learner, reports, senders }: CoordinatorView, nowMs: number) {
  const { name } = state.setup.learner
  const { reason } = state.decision
  const curve = learner.curve?.()
  const answer = (state.capacity as CapacityState | null)?.answer ?? undefined
  return {
    learner: {
      name,
      reason,
      meaning: LEARNER_REASONS[reason as Reason] ?? '',
      state: state.learner,
      ...(curve === undefined ? {} : { curve }),
    },
    learned: learnedStatus(state),
    planAgeMs: Math.max(0, nowMs - plan.issuedAtMs),
    overcommitted: plan.overcommitted === true,
    servers: serversOf(withPool(state), plan),
    ...(answer === undefined ? {} : { capacity: answer }),
    ...(plan.down ? { down: plan.down } : {}),
    dataCentres: senders.map(({ sender, share, rate, reportedAtMs }) => ({
      name: dataCentreOf(sender),
      share,
      offered: rate,
      reportedMsAgo: Math.max(0, nowMs - reportedAtMs),
    })),
    reports: { ...reports },
    senders: senders.length,
  }
}

/** The setup with the servers that an operator or an autoscaler set. */
const withPool = ({ setup, pool }: CoordinatorView['state']) =>
  pool === null ? setup : { ...setup, servers: pool }

/** The limit belongs to the origin, so all its routes show it. */
function isOf({ route, change }: Override, name: string): boolean {
  return route === name || change.action === 'limit'
}

function serversOf({ servers = [] }: Setup, { down = [] }: Plan): readonly ServerStatus[] {
  return servers.map(({ url, weight }) => ({ url, weight, isDown: down.includes(url) }))
}

/** A relay is named after its origin and its data centre: `origin@FRA`. */
function dataCentreOf(sender: string): string {
  return sender.slice(sender.lastIndexOf('@') + 1)
}

function recentTicks(ticks: readonly TickRecord[], nowMs: number): TickRecord | null {
  const recent = ticks.filter(({ atMs }) => nowMs - atMs < RECENT_MS)
  if (recent.length === 0) return null
  return recent.reduce((sum, { atMs, lengthMs, routes }) => ({
    atMs,
    lengthMs: sum.lengthMs + lengthMs,
    routes: mergeRoutes(sum.routes, routes),
  }))
}

function newestPoint(
  tick: TickRecord | undefined,
  { name }: RouteSetup,
  plan: RoutePlan,
): TrafficPoint | null {
  return tick === undefined ? null : trafficPoint(tick.routes[name], { ...tick, plan })
}

function situationOf(
  { overrides, plan: { overcommitted }, state: { setup }, plan: { down = [] } }: CoordinatorView,
  route: RouteSetup,
  plan: RoutePlan,
  recent: TickRecord | null,
) {
  const feedback = recent?.routes[route.name]
  // The others have targets of their own.
  const judged = underRouteTarget(route, feedback).reduce(mergeClass, NO_CLASS_FEEDBACK)
  const { percentile } = route.sla
  return {
    granularity: route.granularity,
    mode: route.mode,
    traffic: recent === null ? null : trafficPoint(feedback, { ...recent, plan }),
    percentile,
    percentileMs: percentileMs(judged.latency, judged.failed, percentile, plan.targetMs),
    isOvercommitted: overcommitted === true,
    isFixed: overrides.some(({ change }) => change.action === 'limit'),
    servers: setup.servers?.length ?? 1,
    serversDown: down.length,
  }
}

function minuteOf(minute: LastMinute, { name, classes }: RouteSetup): RouteStatus['lastMinute'] {
  // The others have targets of their own.
  const timed = classes.flatMap((one) => (one.sla === undefined ? [one.name] : []))
  return {
    ...minute.figures(name, null, (one) => timed.includes(one)),
    classes: Object.fromEntries(
      classes.map((one) => [one.name, minute.figures(name, one.name)] as const),
    ),
  }
}
