import type { CapacityEvent, Decision, Sample } from '../../learners/learner-interface.ts'
import { histogramTotal, mergeHistograms, quantileMs } from '../../lib/histogram.ts'
import { list, nullable, number, object, record, type StateSchema } from '../../lib/state-schema.ts'
import type { QualitySetup, RouteSetup, Setup } from '../../protocol/feedback.ts'
import type { RoutesFeedback } from '../../protocol/merge-reports.ts'
import type { QualityPlan } from '../../protocol/plan.ts'
import { isApart, underRouteTarget } from '../class-sla.ts'
import { FULL_QUALITY, type QualityFactor, qualityAfter } from './law.ts'
import { pairsAfter, qualityAt, type StepPair, stepCosts } from './step-costs.ts'

/** The quality of one route: a plain JSON value. */
export interface RouteQualityState extends QualityFactor {
  readonly step: number
  readonly pairs: readonly StepPair[]
}

/** By route. */
export type QualityState = Readonly<Record<string, RouteQualityState>>

const isPair = object({ requests: number, us: number, aboveRequests: number, aboveUs: number })
export const isQualityState: StateSchema = record(
  object({ quality: number, currentMs: nullable(number), step: number, pairs: list(isPair) }),
)

/** What is offered may be this much of the limit before quality rises again. */
const ROOM = 0.9

interface QualityTick {
  readonly setup: Setup
  readonly routes: RoutesFeedback
  readonly targetOf: (route: RouteSetup) => number
  /** Offered load, and the limit in the same unit at the present step; null: no limit. */
  readonly offered: number
  readonly limit: number | null
}

interface QualityChange {
  readonly quality: QualityState
  /** The origin can take more or fewer requests of the new quality; null: no step has changed. */
  readonly event: CapacityEvent | null
}

/** Moves the quality of each route that can degrade. Refusing begins only when the lowest quality is too much. */
export function qualityStateAfter(before: QualityState, tick: QualityTick): QualityChange {
  const quality: Record<string, RouteQualityState> = {}
  const all = tick.setup.routes.reduce((sum, route) => sum + requestsOf(route, tick.routes), 0)
  let load = 1
  for (const route of tick.setup.routes) {
    if (route.quality === undefined) continue
    const old = before[route.name] ?? { ...FULL_QUALITY, step: 0, pairs: [] }
    const next = routeAfter(old, route, route.quality, tick)
    quality[route.name] = next
    const costs = stepCosts(route.quality, next.pairs)
    const part = all > 0 ? requestsOf(route, tick.routes) / all : 1
    load += part * (costs[next.step]! / costs[Math.min(old.step, route.quality.steps)]! - 1)
  }
  return { quality, event: load === 1 ? null : { before: load, after: 1 } }
}

function routeAfter(
  old: RouteQualityState,
  route: RouteSetup,
  setup: QualitySetup,
  tick: QualityTick,
): RouteQualityState {
  const { steps, min } = setup
  const feedback = tick.routes[route.name]
  const pairs = pairsAfter(old.pairs, setup, feedback?.quality ?? {})
  const costs = stepCosts(setup, pairs)
  // A class with a target of its own may be slow and well.
  const judged = underRouteTarget(route, feedback)
  const latency = judged.reduce(
    (sum: readonly number[], one) => mergeHistograms(sum, one.latency),
    [],
  )
  const measuredMs =
    histogramTotal(latency) > 0 ? quantileMs(latency, route.sla.percentile / 100) : null
  const isIdle = judged.every(({ inFlight }) => inFlight === 0)
  const moved = qualityAfter(old, measuredMs, tick.targetOf(route), min, isIdle)
  const step = Math.min(old.step, steps)
  const wanted = Math.ceil(((1 - moved.quality) / (1 - min)) * steps - 1e-9)
  const needed = neededStep(costs, step, tick)
  // A step up would bring back the load that made it necessary.
  const next = Math.max(Math.min(Math.max(wanted, 0), steps), needed)
  const { quality } = moved
  // The factor follows a step that the offered load has forced, so that it rises from there.
  const bounded = Math.min(quality, qualityAt(setup, needed))
  return {
    quality: next === wanted ? quality : bounded,
    currentMs: moved.currentMs,
    step: next,
    pairs,
  }
}

/** The best step at which the offered load fits into the limit; the last one if it fits nowhere. */
function neededStep(
  costs: readonly number[],
  step: number,
  { offered, limit }: QualityTick,
): number {
  if (limit === null || !(offered > 0)) return 0
  const room = (to: number): number => (offered * costs[to]!) / costs[step]!
  const fits = costs.findIndex((_, to) => room(to) <= (to < step ? ROOM * limit : limit))
  return fits < 0 ? costs.length - 1 : fits
}

/** Requests under the limit that the routes share. */
function requestsOf(route: RouteSetup, routes: RoutesFeedback): number {
  const seen = routes[route.name]?.classes ?? {}
  let sum = 0
  for (const one of route.classes) if (!isApart(route, one)) sum += seen[one.name]?.requests ?? 0
  return sum
}

/** What isolates are told of a route's quality. */
export function qualityPlan(
  setup: QualitySetup,
  { step, pairs }: RouteQualityState = { ...FULL_QUALITY, step: 0, pairs: [] },
): QualityPlan {
  const costs = stepCosts(setup, pairs)
  const at = Math.min(step, setup.steps)
  return {
    value: rounded(qualityAt(setup, at)),
    step: at,
    of: setup.steps,
    lowest: rounded(costs[setup.steps]! / costs[at]!),
    saved: costs.map((cost) => rounded(1 - cost)),
  }
}

interface DecidedTick extends Pick<QualityTick, 'setup' | 'routes' | 'targetOf'> {
  readonly sample: Sample
  readonly decision: Decision
}

interface DecidedQuality extends QualityChange {
  /** With the limit at the new quality. */
  readonly decision: Decision
}

/**
 * One tick of quality. Learners hear of a change of quality with the next sample, so until then the limit is scaled here. A
 * fixed limit counts requests of full quality and is always scaled.
 */
export function decideQuality(before: QualityState, tick: DecidedTick): DecidedQuality {
  const { setup, routes, targetOf, sample, decision } = tick
  const { limit } = decision
  const isFixed = setup.learner.name === 'fixed'
  const change = qualityStateAfter(before, {
    ...{ setup, routes, targetOf },
    offered: sample.offered[sample.granularity === 'session' ? 'sessions' : 'requests'],
    limit: limit === null || !isFixed ? limit : limit / fullLoad(before, setup),
  })
  const load = isFixed ? fullLoad(change.quality, setup) : (change.event?.before ?? 1)
  return {
    ...change,
    decision: limit === null || load === 1 ? decision : { ...decision, limit: limit / load },
  }
}

/** The load of a request at the present steps relative to one of full quality, over the routes that can degrade. */
function fullLoad(quality: QualityState, setup: Setup): number {
  const costs = setup.routes.flatMap(({ name, quality: rules }) =>
    rules === undefined || !quality[name]
      ? []
      : [stepCosts(rules, quality[name].pairs)[quality[name].step]!],
  )
  return costs.length === 0 ? 1 : Math.max(...costs)
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000
