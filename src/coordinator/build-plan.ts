import type { RouteSetup, Setup } from '../protocol/feedback.ts'
import {
  type ClassPlan,
  type OriginLoad,
  PLAN_VERSION,
  type Plan,
  type RoutePlan,
} from '../protocol/plan.ts'
import { allocate } from './allocate-classes.ts'
import { unitOf } from './build-sample.ts'
import type { ClassCosts } from './class-cost.ts'
import { delaysByClass } from './class-delays.ts'
import { classKey } from './class-key.ts'
import { settlingRate } from './guarantee-debt.ts'
import { originLoad } from './origin-load.ts'
import { downOf } from './pool-health.ts'
import type { CoordinatorState } from './state.ts'

/** Requests of a session over its life, until the learner knows better: those of an ordinary site. */
const REQUESTS_PER_SESSION = 10

/** A plan is valid for this many ticks. */
const GOOD_FOR_TICKS = 3

/** Turns what the coordinator decided into what the edge is told. */
export function buildPlan(state: CoordinatorState, costs: ClassCosts): Plan {
  const { setup, decision, arrivals } = state
  const unit = unitOf(setup)
  const perSession = decision.requestsPerSession ?? REQUESTS_PER_SESSION
  const unitsOf = (route: RouteSetup): number =>
    unit === 'request' && route.granularity === 'session' ? perSession : 1
  // The size of a session's first request says nothing about the session.
  const costOf = (route: RouteSetup, name: string): number =>
    route.granularity === 'session' ? unitsOf(route) : costs.offered(classKey(route.name, name))
  // Where the limit is on requests, the requests of known sessions are subtracted first.
  const ofSessions = unit === 'request' ? state.sessionRequests : 0
  const allocation = allocate({
    limit: decision.limit === null ? null : Math.max(0, decision.limit - ofSessions),
    order: setup.order ?? 'value',
    classes: setup.routes.flatMap((route) =>
      route.classes.map(({ name, value, guaranteed }) => {
        const key = classKey(route.name, name)
        return {
          ...{ key, value, guaranteed },
          settlingRate: settlingRate(state.guaranteeDebt[key] ?? 0),
          arrivals: arrivals[key]?.rate ?? 0,
          cost: costOf(route, name),
        }
      }),
    ),
  })
  const perUnit = unit === 'session' ? perSession : 1
  const rate = decision.limit === null ? null : decision.limit * perUnit
  const load = costs.meanMs === null ? null : originLoad(state.serverLoad, costs.meanMs, rate)
  const delays = load === null ? NO_DELAYS : delaysOf(state, costs, load, allocation.classes)
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
          const delayMs = delays.get(key)
          return [name, { ...share, probability, ...(delayMs ? { delayMs } : {}) }]
        }),
      ),
    },
  ])
  const down = downOf(state.poolHealth, setup.servers ?? [])
  return {
    version: PLAN_VERSION,
    origin: setup.origin,
    seq: state.seq,
    issuedAtMs: state.issuedAtMs,
    goodForMs: GOOD_FOR_TICKS * setup.tickMs,
    setup: { id: setup.id, sinceMs: setup.sinceMs },
    drawLimit: decision.probabilities ? null : allocation.drawLimit,
    burst: decision.burst ?? defaultBurst(decision.limit, setup),
    inFlightCap: decision.inFlightCap ?? null,
    ...(load === null ? {} : { load }),
    ...(down.length > 0 ? { down } : {}),
    ...(allocation.overcommitted ? { overcommitted: true } : {}),
    routes: Object.fromEntries(routes),
  }
}

const NO_DELAYS: ReadonlyMap<string, number> = new Map()

/** Delays of the classes of all routes that police by batches. These classes queue for the same servers. */
function delaysOf(
  { setup, arrivals, targets, serverLoad }: CoordinatorState,
  costs: ClassCosts,
  load: OriginLoad,
  ranks: Readonly<Record<string, ClassPlan>>,
): ReadonlyMap<string, number> {
  const batched = setup.routes.filter(({ police = 'threshold' }) => police !== 'threshold')
  if (batched.length === 0 || !load.servers) return NO_DELAYS
  return delaysByClass({
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
    drop: serverLoad.drop,
  })
}

/** What the limit admits in a quarter of the target, and at least 3, so that calm traffic is never refused. */
function defaultBurst(limit: number | null, setup: Setup): number {
  const targetMs = Math.min(...setup.routes.map(({ sla }) => sla.targets[0]!.targetMs))
  return Math.max(3, ((limit ?? 0) * Math.min(targetMs, 2000)) / 4000)
}

export function targetMsOf(route: RouteSetup, targets: CoordinatorState['targets']): number {
  const { sla } = route
  return (sla.targets[targets[route.name] ?? 0] ?? sla.targets[0]!).targetMs
}
