import type { RouteSetup, Setup } from '../feedback.ts'
import { PLAN_VERSION, type Plan, type RoutePlan } from '../plan.ts'
import { allocate } from './allocate.ts'
import type { ArrivalRate } from './arrivals.ts'
import type { Books } from './books.ts'
import { costsOf, type ServiceBooks } from './costs.ts'
import { classKey, unitOf } from './gather.ts'
import type { Decision } from './learner.ts'
import { owedRate } from './owed.ts'

/** Until the learner knows better: what a session of an ordinary site asks of its origin. */
const REQUESTS_PER_SESSION = 10

/** A plan is good for this many ticks. */
const GOOD_FOR_TICKS = 3

/** Everything that must outlive a restart: a plain JSON value. */
export interface BrainState {
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
  readonly owed: Books
  readonly service: ServiceBooks
}

/** From what was decided to what the edge is told. */
export function planOf(state: BrainState): Plan {
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
          return [name, { ...share, probability }]
        }),
      ),
    },
  ])
  const { room, offered } = allocation
  return {
    version: PLAN_VERSION,
    origin: setup.origin,
    seq: state.seq,
    issuedAtMs: state.issuedAtMs,
    goodForMs: GOOD_FOR_TICKS * setup.tickMs,
    setup: { id: setup.id, sinceMs: setup.sinceMs },
    room: decision.probabilities ? null : room,
    offered,
    burst: decision.burst ?? defaultBurst(decision.limit, setup),
    inFlight: decision.inFlight ?? null,
    routes: Object.fromEntries(routes),
  }
}

/** What may come at once: a quarter of the target's worth of the limit, and never so little that calm is refused. */
function defaultBurst(limit: number | null, setup: Setup): number {
  const targetMs = Math.min(...setup.routes.map(({ sla }) => sla.targets[0]!.targetMs))
  return Math.max(3, ((limit ?? 0) * Math.min(targetMs, 2000)) / 4000)
}

export function targetMsOf(route: RouteSetup, targets: BrainState['targets']): number {
  const { sla } = route
  return (sla.targets[targets[route.name] ?? 0] ?? sla.targets[0]!).targetMs
}
