import { classKey } from '../protocol/class-key.ts'
import {
  type ClassPlan,
  type Draws,
  type OriginLoad,
  PLAN_VERSION,
  type Plan,
  type RoutePlan,
} from '../protocol/plan.ts'
import type { Allocation } from './allocate-classes.ts'
import {
  allocateLimit,
  classRates,
  requestsPerSession,
  unitsPerAdmission,
} from './allocate-limit.ts'
import { unitOf } from './build-sample.ts'
import type { ClassCosts } from './class-cost.ts'
import { delaysByClass } from './class-delays.ts'
import { classTargetMs, targetMsOf } from './class-sla.ts'
import { withCommands } from './command-state.ts'
import { surgeLimit } from './known-arrivals.ts'
import { originLoad } from './origin-load.ts'
import { downOf } from './pool-health.ts'
import { qualityPlan } from './quality/quality-control.ts'
import { drawLimitBeside, withQueue } from './queue/queue-rates.ts'
import type { CoordinatorState } from './state.ts'

/** A plan is valid for this many ticks. */
const GOOD_FOR_TICKS = 2

/** Turns what the coordinator decided into what the edge is told. */
export function buildPlan(state: CoordinatorState, costs: ClassCosts): Plan {
  const { setup, decision, arrivals, queues } = state
  const allocation = allocateLimit(state, costs)
  const rates = classRates(state, costs)
  const perUnit = unitOf(setup) === 'session' ? requestsPerSession(state) : 1
  const rate = decision.limit === null ? null : decision.limit * perUnit
  const load = costs.meanMs === null ? null : originLoad(state.serverLoad, costs.meanMs, rate)
  const delays = load === null ? NO_DELAYS : delaysOf(state, costs, load, allocation.classes)
  const routes = setup.routes.map((route): [string, RoutePlan] => [
    route.name,
    {
      limit: decision.limit === null ? null : decision.limit / unitsPerAdmission(state, route),
      reason: decision.reason,
      targetMs: targetMsOf(route, state.targets),
      ...(route.quality ? { quality: qualityPlan(route.quality, state.quality[route.name]) } : {}),
      classes: Object.fromEntries(
        route.classes.map((one) => {
          const { name } = one
          const key = classKey(route.name, name)
          const share = allocation.classes[key]!
          const probability = decision.probabilities?.[key] ?? share.probability
          const delayMs = delays.get(key)
          const plan = {
            ...share,
            probability,
            ...(delayMs ? { delayMs } : {}),
            ...(one.sla ? { targetMs: classTargetMs(route, one, state.targets) } : {}),
          }
          const ofClass = { arrivals: arrivals[key]?.rate ?? 0, rate: rates[key] ?? null }
          return [name, withQueue({ plan, queue: queues[key], ...ofClass })]
        }),
      ),
    },
  ])
  const draws = drawsOf(state)
  const down = downOf(state.poolHealth, setup.servers ?? [])
  const { rising = {} } = state.poolHealth
  const plan: Plan = {
    version: PLAN_VERSION,
    origin: setup.origin,
    seq: state.seq,
    issuedAtMs: state.issuedAtMs,
    goodForMs: GOOD_FOR_TICKS * setup.tickMs,
    setup: { id: setup.id, sinceMs: setup.sinceMs },
    drawLimit: drawLimitBeside(limitedAllocation(state, allocation), queues, rates),
    ...(draws === null ? {} : { draws }),
    burst: decision.burst ?? defaultBurst(decision.limit, state),
    // The learner's requests count by their cost. The edge counts each as one.
    inFlightCap: decision.inFlightCap == null ? null : decision.inFlightCap / costs.mean,
    ...(load === null ? {} : { load }),
    ...(state.pool === null ? {} : { servers: state.pool }),
    ...(Object.keys(rising).length > 0 ? { rising } : {}),
    ...(down.length > 0 ? { down } : {}),
    ...(allocation.overcommitted ? { overcommitted: true } : {}),
    routes: Object.fromEntries(routes),
  }
  return withCommands(plan, state.commanded)
}

/** Batches need the limit itself. */
function drawsOf({ setup, decision }: CoordinatorState): Draws | null {
  if (decision.probabilities !== undefined) return 'policy'
  const isBatched = setup.routes.some(({ police = 'threshold' }) => police !== 'threshold')
  return decision.arrivals === undefined || isBatched ? null : 'forecast'
}

/** A policy that sets probabilities has no limit of its own, but a surge must not pass at a probability of before. */
function limitedAllocation(
  { decision: { probabilities, rates = {} }, known }: CoordinatorState,
  allocation: Allocation,
): Allocation {
  if (probabilities === undefined) return allocation
  const classes = Object.entries(allocation.classes)
    .filter(([, { own }]) => own === undefined)
    .map(([key, { cost }]) => ({ key, cost, probability: probabilities[key] ?? 1 }))
  return { ...allocation, drawLimit: surgeLimit(known, rates, classes) }
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
function defaultBurst(limit: number | null, { setup, targets }: CoordinatorState): number {
  const targetMs = Math.min(...setup.routes.map((route) => targetMsOf(route, targets)))
  return Math.max(3, ((limit ?? 0) * Math.min(targetMs, 2000)) / 4000)
}
