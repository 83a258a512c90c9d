import { quantileMs } from '../lib/histogram.ts'
import type { CounterName } from '../protocol/counters.ts'
import {
  mergeClass,
  mergeRoutes,
  NO_CLASS_FEEDBACK,
  type RoutesFeedback,
  subtractRoutes,
} from '../protocol/merge-reports.ts'
import type { Plan, RoutePlan } from '../protocol/plan.ts'
import { outcomesOf } from './outcomes.ts'

const MINUTE_MS = 60_000
/** After this many ticks without a question the sum is computed anew. */
const MOST_UNASKED = 60

/** The counters that an operator sees, as rates per second. */
const RATES = [
  'offered',
  'admitted',
  'guaranteed',
  'early',
  'overQuota',
  'wouldRefuse',
  'requests',
  'served',
  'failed',
  'abandoned',
] as const satisfies readonly CounterName[]

/** What an operator sees of a class or a route over the last minute. */
export interface MinuteFigures extends Readonly<Record<(typeof RATES)[number], number>> {
  /** Time that the figures cover. */
  readonly seconds: number
  readonly refused: number
  /** Sent to the waiting room. Those who come back with a ticket are not counted again. */
  readonly queued: number
  /** Got a lighter answer, or one of another origin. */
  readonly degraded: number
  /** Verdicts by reason, per second: see docs/policing.md. */
  readonly admits: Readonly<Record<string, number>>
  readonly refusals: Readonly<Record<string, number>>
  /** Absent: none. Those who come back with a ticket are in `waits` each time. */
  readonly waits?: Readonly<Record<string, number>>
  readonly degrades?: Readonly<Record<string, number>>
  readonly redirects?: Readonly<Record<string, number>>
  readonly withinTarget: number
  readonly inFlight: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

/** A tick, as far as an operator sees it. */
export interface TickRecord {
  readonly atMs: number
  readonly lengthMs: number
  readonly routes: RoutesFeedback
}

/** What held in a tick, by route. */
export type InForce = Readonly<Record<string, Pick<RoutePlan, 'limit' | 'targetMs'>>>

/** Keeps the feedback of the last minute's ticks. */
export class LastMinute {
  readonly #ticks: (TickRecord & { readonly inForce: InForce })[] = []
  #lengthMs = 0
  /** The sum of all ticks when somebody last asked for it; null: nobody has asked for long. */
  #sum: RoutesFeedback | null = null
  /** Ticks that came and went since then. They are counted when somebody asks, because a tick has no time for it. */
  #added: RoutesFeedback[] = []
  #dropped: RoutesFeedback[] = []

  /** `plan`: the one that held in the tick; null: there was none. */
  add(tick: TickRecord, plan: Plan | null = null): void {
    this.#ticks.push({ ...tick, inForce: inForceOf(plan) })
    this.#lengthMs += tick.lengthMs
    if (this.#sum !== null) this.#added.push(tick.routes)
    while (this.#lengthMs - this.#ticks[0]!.lengthMs >= MINUTE_MS) this.#drop(this.#ticks.shift()!)
    if (this.#added.length > MOST_UNASKED) this.#setSum(null)
  }

  /** Oldest first. */
  get ticks(): readonly (TickRecord & { readonly inForce: InForce })[] {
    return this.#ticks
  }

  /**
   * Of one class, or of the whole route if `name` is null. `isTimed`: the class counts in the response times of the route.
   */
  figures(
    route: string,
    name: string | null,
    isTimed: (name: string) => boolean = () => true,
  ): MinuteFigures {
    const total = classOrRoute(this.#total(), route, name)
    const { latency } = classOrRoute(this.#total(), route, name, isTimed)
    const newest = classOrRoute(this.#ticks.at(-1)?.routes ?? {}, route, name)
    const seconds = this.#lengthMs / 1000
    const rate = (count: number): number => (seconds > 0 ? count / seconds : 0)
    const byReason = (counts: Readonly<Record<string, number>>): Record<string, number> =>
      Object.fromEntries(
        Object.entries(counts)
          .filter(([, n]) => n > 0)
          .map(([reason, n]) => [reason, rate(n)]),
      )
    const { refused, queued, degraded } = outcomesOf(total)
    const rates = Object.fromEntries(RATES.map((name) => [name, rate(total[name])]))
    return {
      seconds,
      ...(rates as Record<(typeof RATES)[number], number>),
      refused: rate(refused),
      queued: rate(queued),
      degraded: rate(degraded),
      admits: byReason(total.admits),
      refusals: byReason(total.refusals),
      ...(total.queued ? { waits: byReason(total.queued) } : {}),
      ...(total.degrades ? { degrades: byReason(total.degrades) } : {}),
      ...(total.redirects ? { redirects: byReason(total.redirects) } : {}),
      withinTarget: rate(Math.max(0, total.served + total.failed - total.late)),
      inFlight: newest.inFlight,
      p50Ms: quantileMs(latency, 0.5),
      p95Ms: quantileMs(latency, 0.95),
      p99Ms: quantileMs(latency, 0.99),
    }
  }

  #total(): RoutesFeedback {
    const before = this.#sum
    const sum =
      before === null
        ? this.#ticks.reduce<RoutesFeedback>((sum, { routes }) => mergeRoutes(sum, routes), {})
        : this.#dropped.reduce(subtractRoutes, this.#added.reduce(mergeRoutes, before))
    this.#setSum(sum)
    return sum
  }

  #setSum(sum: RoutesFeedback | null): void {
    this.#sum = sum
    if (this.#added.length > 0) this.#added = []
    if (this.#dropped.length > 0) this.#dropped = []
  }

  #drop({ routes, lengthMs }: TickRecord): void {
    this.#lengthMs -= lengthMs
    if (this.#sum !== null) this.#dropped.push(routes)
  }
}

function inForceOf(plan: Plan | null): InForce {
  const routes = Object.entries(plan?.routes ?? {})
  return Object.fromEntries(
    routes.map(([name, { limit, targetMs }]) => [name, { limit, targetMs }] as const),
  )
}

function classOrRoute(
  routes: RoutesFeedback,
  route: string,
  name: string | null,
  isIn: (name: string) => boolean = () => true,
) {
  const classes = routes[route]?.classes ?? {}
  if (name !== null) return classes[name] ?? NO_CLASS_FEEDBACK
  return Object.entries(classes)
    .flatMap(([key, one]) => (isIn(key) ? [one] : []))
    .reduce(mergeClass, NO_CLASS_FEEDBACK)
}
