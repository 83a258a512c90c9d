import type { Decision } from '../learners/learner.ts'
import type { RouteSetup, Setup } from '../protocol/feedback.ts'
import {
  type ClassPlan,
  type OriginLoad,
  PLAN_VERSION,
  type Plan,
  type RoutePlan,
} from '../protocol/plan.ts'
import { allocate } from './allocate.ts'
import type { ArrivalRate } from './arrival-rate.ts'
import { classKey, unitOf } from './build-sample.ts'
import { type ClassCosts, costsOf, type ServiceTotals } from './class-cost.ts'
import { delaysOf } from './class-holds.ts'
import type { GuaranteeDebt } from './guarantee-books.ts'
import { owedRate } from './guarantee-debt.ts'
import { originLoad, type SmoothedServerLoad } from './origin-load.ts'
import { downOf, type PoolHealth } from './pool-health.ts'

/** Until the learner knows better: what a session of an ordinary site asks of its origin. */
const REQUESTS_PER_SESSION = 10

/** A plan is good for this many ticks. */
const GOOD_FOR_TICKS = 3

/** Everything that must outlive a restart: a plain JSON value. */
export interface CoordinatorState {
  readonly version: 1
  readonly setup: Setup
  readonly learner: unknown
  readonly decision: Decision
  readonly seq: number
  readonly issuedAtMs: number
  /** By class key. */
  readonly arrivals: Readonly<Record<string, ArrivalRate>>
  /** route → which target of its SLA's table is in force */
  readonly targets: Readonly<Record<string, number>>
  /** Requests per second of sessions admitted before. */
  readonly sessionRequests: number
  readonly owed: GuaranteeDebt
  readonly service: ServiceTotals
  readonly servers: SmoothedServerLoad
  readonly pool: PoolHealth
}

/** From what was decided to what the edge is told. */
export function buildPlan(state: CoordinatorState): Plan {
  const { setup, decision, arrivals } = state
  const unit = unitOf(setup)
  const perSession = decision.requestsPerSession ?? REQUESTS_PER_SESSION
  const unitsOf = (route: RouteSetup): number =>
    unit === 'request' && route.granularity === 'session' ? perSession : 1
  const costs = costsOf(state.service)
  // A session is more than its first request, whose size says nothing of it.
  const costOf = (route: RouteSetup, name: string): number =>
    route.granularity === 'session' ? unitsOf(route) : costs.asked(classKey(route.name, name))
  // In a mix of granularities the limit is on all requests, and known sessions take theirs first.
  const taken = unit === 'request' ? state.sessionRequests : 0
  const allocation = allocate({
    limit: decision.limit === null ? null : Math.max(0, decision.limit - taken),
    order: setup.order ?? 'value',
    classes: setup.routes.flatMap((route) =>
      route.classes.map(({ name, value, guaranteed }) => ({
        key: classKey(route.name, name),
        value,
        guaranteed,
        owedRate: owedRate(state.owed[classKey(route.name, name)] ?? 0),
        arrivals: arrivals[classKey(route.name, name)]?.rate ?? 0,
        cost: costOf(route, name),
      })),
    ),
  })
  const perUnit = unit === 'session' ? perSession : 1
  const rate = decision.limit === null ? null : decision.limit * perUnit
  const load = costs.meanMs === null ? null : originLoad(state.servers, costs.meanMs, rate)
  const holds = load === null ? NO_HOLDS : classHolds(state, costs, load, allocation.classes)
  const routes = setup.routes.map((route): [string, RoutePlan] => [
    route.name,
    {
      limit: decision.limit === null ? null : decision.limit / unitsOf(route),
      reason: decision.reason,
      targetMs: targetMsOf(route, state.targets),
      classes: Object.fromEntries(
        route.classes.map(({ name }) => {
          const key = classKey(route.name, name)
          const share = allocation.classes[key]!
          const probability = decision.probabilities?.[key] ?? share.probability
          const delayMs = holds.get(key)
          return [name, { ...share, probability, ...(delayMs ? { delayMs } : {}) }]
        }),
      ),
    },
  ])
  const { drawLimit, offered } = allocation
  const down = downOf(state.pool, setup.servers ?? [])
  return {
    version: PLAN_VERSION,
    origin: setup.origin,
    seq: state.seq,
    issuedAtMs: state.issuedAtMs,
    goodForMs: GOOD_FOR_TICKS * setup.tickMs,
    setup: { id: setup.id, sinceMs: setup.sinceMs },
    drawLimit: decision.probabilities ? null : drawLimit,
    offered,
    burst: decision.burst ?? defaultBurst(decision.limit, setup),
    inFlightCap: decision.inFlightCap ?? null,
    ...(load === null ? {} : { load }),
    ...(down.length > 0 ? { down } : {}),
    ...(allocation.overcommitted ? { overcommitted: true } : {}),
    routes: Object.fromEntries(routes),
  }
}

const NO_HOLDS: ReadonlyMap<string, number> = new Map()

/** d_i, where some route polices by batches: the classes of all of them queue for the same servers. */
function classHolds(
  { setup, arrivals, targets, servers }: CoordinatorState,
  costs: ClassCosts,
  load: OriginLoad,
  ranks: Readonly<Record<string, ClassPlan>>,
): ReadonlyMap<string, number> {
  const batched = setup.routes.filter(({ police = 'threshold' }) => police !== 'threshold')
  if (batched.length === 0 || !load.servers) return NO_HOLDS
  return delaysOf({
    classes: batched.flatMap((route) =>
      route.classes.map(({ name }) => {
        const key = classKey(route.name, name)
        return {
          key,
          rank: ranks[key]!.rank,
          arrivals: arrivals[key]?.rate ?? 0,
          serviceMs: costs.sent(key) * load.serviceMs,
        }
      }),
    ),
    load,
    targetMs: Math.min(...setup.routes.map((route) => targetMsOf(route, targets))),
    drop: servers.drop,
  })
}

/** What may come at once: a quarter of the target's worth of the limit, and never so little that calm is refused. */
function defaultBurst(limit: number | null, setup: Setup): number {
  const targetMs = Math.min(...setup.routes.map(({ sla }) => sla.targets[0]!.targetMs))
  return Math.max(3, ((limit ?? 0) * Math.min(targetMs, 2000)) / 4000)
}

export function targetMsOf(route: RouteSetup, targets: CoordinatorState['targets']): number {
  const { sla } = route
  return (sla.targets[targets[route.name] ?? 0] ?? sla.targets[0]!).targetMs
}
