import type { Decision } from '../learners/learner-interface.ts'
import { classKey } from '../protocol/class-key.ts'
import type { RouteSetup } from '../protocol/feedback.ts'
import type { ClassPlan } from '../protocol/plan.ts'
import { type Allocation, allocate, type ClassDemand } from './allocate-classes.ts'
import { unitOf } from './build-sample.ts'
import type { ClassCosts } from './class-cost.ts'
import { isApart } from './class-sla.ts'
import { settlingRate } from './guarantee-debt.ts'
import { surgeRate } from './known-arrivals.ts'
import { type ClassRates, waitingDemand } from './queue/queue-rates.ts'
import type { CoordinatorState } from './state.ts'

/** Requests of a session over its life, until the learner knows better: those of an ordinary site. */
const REQUESTS_PER_SESSION = 10

/**
 * Shares the limit out over all classes. Visitors who wait count as arrivals of their class. `forecast`: the arrivals that
 * are expected, over those of the last ticks.
 */
export function allocateLimit(
  state: CoordinatorState,
  costs: ClassCosts,
  forecast = forecastFactor(state, costs),
): Allocation {
  const { setup, decision } = state
  // Where the limit is on requests, the requests of known sessions are subtracted first.
  const ofSessions = unitOf(setup) === 'request' ? state.sessionRequests : 0
  const order = setup.order ?? 'value'
  const demands = setup.routes.flatMap((route) =>
    route.classes.map((one) => {
      const { name, value, guaranteed } = one
      const key = classKey(route.name, name)
      const apart = isApart(route, one)
      return {
        ...{ key, value, guaranteed, apart },
        settlingRate: settlingRate(state.guaranteeDebt[key] ?? 0),
        arrivals: demandOf(state, key) * (apart ? 1 : forecast),
        cost: apart ? 1 : costOf(state, costs, route, name),
      }
    }),
  )
  const shared = allocate({
    limit: decision.limit === null ? null : Math.max(0, decision.limit - ofSessions),
    order,
    classes: demands.filter(({ apart }) => !apart),
  })
  const apart = demands.filter((demand) => demand.apart)
  if (apart.length === 0) return shared
  const own = apart.map((demand) => ownPlan(state, demand))
  return { ...shared, classes: { ...shared.classes, ...Object.fromEntries(own) } }
}

/** How much of the limit one admission takes. */
export function costOf(
  state: CoordinatorState,
  costs: ClassCosts,
  route: RouteSetup,
  name: string,
): number {
  return route.granularity === 'session'
    ? unitsPerAdmission(state, route) * costs.session(classKey(route.name, name))
    : costs.offered(classKey(route.name, name))
}

/** Predicted arrivals over those of the last ticks. 1: the learner predicts none, or in another unit than draws. */
function forecastFactor(state: CoordinatorState, costs: ClassCosts): number {
  const { setup, decision, arrivals } = state
  const granularity = unitOf(setup)
  if (decision.arrivals === undefined) return 1
  if (setup.routes.some((route) => route.granularity !== granularity)) return 1
  let measured = 0
  for (const route of setup.routes)
    for (const one of route.classes) {
      // The learner does not see the classes that are limited by themselves.
      const rate = isApart(route, one) ? 0 : (arrivals[classKey(route.name, one.name)]?.rate ?? 0)
      measured += rate * costOf(state, costs, route, one.name)
    }
  return measured > 0 && decision.arrivals > 0 ? decision.arrivals / measured : 1
}

/** The plan of a class that is limited by itself. Its policy may set a probability instead of a limit. */
function ownPlan(
  { classLimits, known }: CoordinatorState,
  demand: ClassDemand,
): [string, ClassPlan] {
  const { key } = demand
  const decision = classLimits[key]?.decision ?? NO_DECISION
  const { limit, burst, inFlightCap = null, probabilities, rates = {} } = decision
  const { classes, drawLimit } = allocate({ limit, order: 'value', classes: [demand] })
  const own = { drawLimit, inFlightCap, burst: burst ?? Math.max(3, (limit ?? 0) / 4) }
  const probability = probabilities?.[key]
  if (probability === undefined) return [key, { ...classes[key]!, own }]
  const most = surgeRate(known, rates, { key, probability })
  return [key, { ...classes[key]!, probability, own: { ...own, drawLimit: most, draws: 'policy' } }]
}

const NO_DECISION: Decision = { limit: null, reason: 'cold' }

/**
 * Admissions per second that the limit gives each class, tickets included. How many wait is known, so no forecast counts
 * here. A policy that sets probabilities has not judged a surge: tickets get no more of it than the surge limit.
 */
export function classRates(state: CoordinatorState, costs: ClassCosts): ClassRates {
  const { limit, probabilities, rates = {} } = state.decision
  const { classes } = allocateLimit(state, costs, 1)
  const given = Object.entries(classes).map(([key, { conforming, probability, own }]) => {
    const isFree = own === undefined ? limit === null && !probabilities : own.drawLimit === null
    if (isFree) return [key, null]
    const demand = demandOf(state, key)
    const p = own === undefined ? (probabilities?.[key] ?? probability) : probability
    const most =
      own === undefined && probabilities
        ? surgeRate(state.known, rates, { key, probability: p })
        : (own?.drawLimit ?? Number.POSITIVE_INFINITY)
    return [key, demand * conforming + Math.min(most, demand * (1 - conforming) * p)]
  })
  return Object.fromEntries(given)
}

/** What arrives, as a part of the limit: of the origin's, or of the class's own limit that is used most. */
export function demandPart(state: CoordinatorState, { classes }: Allocation): number {
  const { setup, decision, sessionRequests } = state
  let shared = unitOf(setup) === 'request' ? sessionRequests : 0
  let most = 0
  for (const [key, { cost, own }] of Object.entries(classes)) {
    const demand = demandOf(state, key) * cost
    if (own === undefined) shared += demand
    else most = Math.max(most, partOf(demand, state.classLimits[key]?.decision.limit ?? null))
  }
  return Math.max(most, partOf(shared, decision.limit))
}

/** Where no limit is known yet, a small one is assumed. */
const ASSUMED_LIMIT = 20

const partOf = (demand: number, limit: number | null): number =>
  demand === 0 ? 0 : demand / (limit ?? ASSUMED_LIMIT)

const demandOf = ({ arrivals, queues }: CoordinatorState, key: string): number =>
  (arrivals[key]?.rate ?? 0) + waitingDemand(queues, key)

export const requestsPerSession = ({ decision }: Pick<CoordinatorState, 'decision'>): number =>
  decision.requestsPerSession ?? REQUESTS_PER_SESSION

/** How much of the learner's limit one admission on this route takes, before the costs of its class. */
export function unitsPerAdmission(
  state: Pick<CoordinatorState, 'setup' | 'decision'>,
  { granularity }: Pick<RouteSetup, 'granularity'>,
): number {
  if (unitOf(state.setup) !== 'request' || granularity !== 'session') return 1
  return requestsPerSession(state)
}
