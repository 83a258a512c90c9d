import { quantileMs } from '../lib/histogram.ts'
import {
  mergeClass,
  mergeRoutes,
  NO_CLASS_FEEDBACK,
  type RoutesFeedback,
} from '../protocol/merge.ts'

const MINUTE_MS = 60_000

/** What an operator sees of a class: the last minute in figures. Rates are per second. */
export interface MinuteFigures {
  readonly seconds: number
  readonly offered: number
  readonly admitted: number
  readonly guaranteed: number
  readonly refused: number
  readonly early: number
  readonly overQuota: number
  readonly wouldRefuse: number
  /** By reason: see docs/policing.md. */
  readonly admits: Readonly<Record<string, number>>
  readonly refusals: Readonly<Record<string, number>>
  readonly requests: number
  readonly served: number
  readonly failed: number
  readonly abandoned: number
  readonly withinTarget: number
  readonly inFlight: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
  readonly p99Ms: number | null
}

/** Keeps the ticks of the last minute. */
export class LastMinute {
  #ticks: { readonly routes: RoutesFeedback; readonly lengthMs: number }[] = []

  add(routes: RoutesFeedback, lengthMs: number): void {
    this.#ticks.push({ routes, lengthMs })
    while (this.#lengthMs() - this.#ticks[0]!.lengthMs >= MINUTE_MS) this.#ticks.shift()
  }

  /** Of one class, or of a whole route when no class is named. */
  figures(route: string, name: string | null): MinuteFigures {
    const merged = this.#ticks.reduce<RoutesFeedback>(
      (sum, tick) => mergeRoutes(sum, tick.routes),
      {},
    )
    const classes = merged[route]?.classes ?? {}
    const all =
      name === null
        ? Object.values(classes).reduce(mergeClass, NO_CLASS_FEEDBACK)
        : (classes[name] ?? NO_CLASS_FEEDBACK)
    const newest = this.#ticks.at(-1)?.routes[route]?.classes ?? {}
    const levels = name === null ? Object.values(newest) : [newest[name] ?? NO_CLASS_FEEDBACK]
    const seconds = this.#lengthMs() / 1000
    const rate = (count: number): number => (seconds > 0 ? count / seconds : 0)
    const rates = (counts: Readonly<Record<string, number>>): Record<string, number> =>
      Object.fromEntries(Object.entries(counts).map(([reason, n]) => [reason, rate(n)]))
    return {
      seconds,
      offered: rate(all.offered),
      admitted: rate(all.admitted),
      guaranteed: rate(all.guaranteed),
      refused: rate(all.offered - all.admitted + all.early + all.overQuota),
      early: rate(all.early),
      overQuota: rate(all.overQuota),
      wouldRefuse: rate(all.wouldRefuse),
      admits: rates(all.admits),
      refusals: rates(all.refusals),
      requests: rate(all.requests),
      served: rate(all.served),
      failed: rate(all.failed),
      abandoned: rate(all.abandoned),
      withinTarget: rate(Math.max(0, all.served + all.failed - all.late)),
      inFlight: levels.reduce((sum, { inFlight }) => sum + inFlight, 0),
      p50Ms: quantileMs(all.latency, 0.5),
      p95Ms: quantileMs(all.latency, 0.95),
      p99Ms: quantileMs(all.latency, 0.99),
    }
  }

  #lengthMs(): number {
    return this.#ticks.reduce((sum, tick) => sum + tick.lengthMs, 0)
  }
}
