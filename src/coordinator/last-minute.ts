import { quantileMs } from '../lib/histogram.ts'
import type { CounterName } from '../protocol/counters.ts'
import {
  mergeClass,
  mergeRoutes,
  NO_CLASS_FEEDBACK,
  type RoutesFeedback,
} from '../protocol/merge-reports.ts'

const MINUTE_MS = 60_000

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
  /** Verdicts by reason, per second: see docs/policing.md. */
  readonly admits: Readonly<Record<string, number>>
  readonly refusals: Readonly<Record<string, number>>
  readonly withinTarget: number
  readonly inFlight: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

/** Keeps the feedback of the last minute's ticks. */
export class LastMinute {
  #ticks: { readonly routes: RoutesFeedback; readonly lengthMs: number }[] = []

  add(routes: RoutesFeedback, lengthMs: number): void {
    this.#ticks.push({ routes, lengthMs })
    while (this.#lengthMs() - this.#ticks[0]!.lengthMs >= MINUTE_MS) this.#ticks.shift()
  }

  /** Of one class, or of the whole route if `name` is null. */
  figures(route: string, name: string | null): MinuteFigures {
    const merged = this.#ticks.reduce<RoutesFeedback>(
      (sum, tick) => mergeRoutes(sum, tick.routes),
      {},
    )
    const total = classOrRoute(merged, route, name)
    const newest = classOrRoute(this.#ticks.at(-1)?.routes ?? {}, route, name)
    const seconds = this.#lengthMs() / 1000
    const rate = (count: number): number => (seconds > 0 ? count / seconds : 0)
    const byReason = (counts: Readonly<Record<string, number>>): Record<string, number> =>
      Object.fromEntries(Object.entries(counts).map(([reason, n]) => [reason, rate(n)]))
    const rates = Object.fromEntries(RATES.map((name) => [name, rate(total[name])]))
    return {
      seconds,
      ...(rates as Record<(typeof RATES)[number], number>),
      refused: rate(total.offered - total.admitted + total.early + total.overQuota),
      admits: byReason(total.admits),
      refusals: byReason(total.refusals),
      withinTarget: rate(Math.max(0, total.served + total.failed - total.late)),
      inFlight: newest.inFlight,
      p50Ms: quantileMs(total.latency, 0.5),
      p95Ms: quantileMs(total.latency, 0.95),
      p99Ms: quantileMs(total.latency, 0.99),
    }
  }

  #lengthMs(): number {
    return this.#ticks.reduce((sum, tick) => sum + tick.lengthMs, 0)
  }
}

function classOrRoute(routes: RoutesFeedback, route: string, name: string | null) {
  const classes = routes[route]?.classes ?? {}
  return name === null
    ? Object.values(classes).reduce(mergeClass, NO_CLASS_FEEDBACK)
    : (classes[name] ?? NO_CLASS_FEEDBACK)
}
