import type { Setup } from '../protocol/feedback.ts'
import { NO_CLASS_FEEDBACK, type RoutesFeedback } from '../protocol/merge.ts'
import { classKey } from './build-sample.ts'

/** A class's requests change slowly; what they cost is taken over about this time. */
const CLASS_HALF_LIFE_MS = 30_000
/** The usual mix is the unit of the limit: a unit that moved with the mix would tell nothing of the mix. */
const USUAL_HALF_LIFE_MS = 3_600_000
/** From this many requests on a mean is believed. */
const ENOUGH = 20
/** A class that costs a thousand times the mean is more likely an error of measurement. */
const LARGEST_COST = 50

/** What requests needed in service, in sums that fade: a plain JSON value. */
export interface ServiceTotals {
  /** By class key. */
  readonly classes: Readonly<Record<string, ClassService>>
  /** Of all classes, over a long time. */
  readonly usual: Sent
}

interface Sent {
  readonly requests: number
  readonly serviceUs: number
}

interface ClassService extends Sent {
  readonly offered: number
  readonly offeredUs: number
}

export const NO_SERVICE_TOTALS: ServiceTotals = {
  classes: {},
  usual: { requests: 0, serviceUs: 0 },
}

/** s_j of Cataclysm's λ_j s_j, where 1 is the mean of the usual mix: what is asked for, and what is sent on. */
export interface ClassCosts {
  readonly asked: (key: string) => number
  readonly sent: (key: string) => number
  /** Mean inherent service time of the usual mix; null: not known. */
  readonly meanMs: number | null
}

export const EQUAL_COSTS: ClassCosts = { asked: () => 1, sent: () => 1, meanMs: null }

export function serviceAfter(
  books: ServiceTotals,
  setup: Setup,
  routes: RoutesFeedback,
  lengthMs: number,
): ServiceTotals {
  const fade = 2 ** (-lengthMs / CLASS_HALF_LIFE_MS)
  const classes: Record<string, ClassService> = {}
  let { requests, serviceUs } = faded(books.usual, 2 ** (-lengthMs / USUAL_HALF_LIFE_MS))
  for (const { name: route, classes: own } of setup.routes)
    for (const { name } of own) {
      const key = classKey(route, name)
      const seen = routes[route]?.classes[name] ?? NO_CLASS_FEEDBACK
      const after = addService(books.classes[key] ?? NOTHING, fade, seen)
      if (after.requests > 0 || after.offered > 0) classes[key] = after
      if (seen.serviceUs > 0) {
        requests += seen.requests
        serviceUs += seen.serviceUs
      }
    }
  return { classes, usual: { requests, serviceUs } }
}

const NOTHING: ClassService = { offered: 0, offeredUs: 0, requests: 0, serviceUs: 0 }

/** Requests of unknown size count for nothing: isolates know sizes after their first answer, or by the plan. */
function addService(before: ClassService, fade: number, seen: ClassService): ClassService {
  const isAsked = seen.offeredUs > 0
  const isSent = seen.serviceUs > 0
  return {
    offered: before.offered * fade + (isAsked ? seen.offered : 0),
    offeredUs: before.offeredUs * fade + seen.offeredUs,
    requests: before.requests * fade + (isSent ? seen.requests : 0),
    serviceUs: before.serviceUs * fade + seen.serviceUs,
  }
}

function faded({ requests, serviceUs }: Sent, fade: number): Sent {
  return { requests: requests * fade, serviceUs: serviceUs * fade }
}

export function costsOf({ classes, usual }: ServiceTotals): ClassCosts {
  if (!(usual.requests >= ENOUGH && usual.serviceUs > 0)) return EQUAL_COSTS
  const meanUs = usual.serviceUs / usual.requests
  const cost = (us: number, count: number): number =>
    Math.min(LARGEST_COST, Math.max(1 / LARGEST_COST, us / count / meanUs))
  const sent = (key: string): number => {
    const { requests, serviceUs } = classes[key] ?? NOTHING
    return requests >= ENOUGH ? cost(serviceUs, requests) : 1
  }
  return {
    sent,
    asked: (key) => {
      const { offered, offeredUs } = classes[key] ?? NOTHING
      return offered >= ENOUGH ? cost(offeredUs, offered) : sent(key)
    },
    meanMs: meanUs / 1000,
  }
}
