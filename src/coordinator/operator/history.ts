import type { RoutesFeedback } from '../../protocol/merge-reports.ts'
import { mergeRoutes } from '../../protocol/merge-reports.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { TickRecord } from '../last-minute.ts'
import { packPoint, unpackPoint } from './packed-point.ts'
import type { OperatorStore } from './store.ts'
import { type TrafficPoint, trafficPoint } from './traffic-point.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** A point per minute for a day. */
const MINUTES = 24 * 60
/** A point per hour for 90 days. */
const HOURS = 90 * 24
/** Slots of hours come after those of minutes. */
const FIRST_HOUR_SLOT = MINUTES

/** How far back a chart goes. */
export type HistoryRange = 'minute' | 'hour' | 'day' | 'quarter'

export interface RouteHistory {
  readonly route: string
  readonly range: HistoryRange
  /** The usual distance of two points. Where there was no traffic, there are no points. */
  readonly stepMs: number
  /** Oldest first. */
  readonly points: readonly TrafficPoint[]
}

/** Feedback that adds up to one point: a plain JSON value. */
export interface HistorySpan {
  /** Number of the minute or hour since 1970. */
  readonly index: number
  readonly lengthMs: number
  readonly routes: RoutesFeedback
}

export const NO_SPAN: HistorySpan = { index: -1, lengthMs: 0, routes: {} }

/** The minute and the hour that have begun. */
export interface BegunSpans {
  readonly minute: HistorySpan
  /** Without the minute that has begun. */
  readonly hour: HistorySpan
}

export const NOTHING_BEGUN: BegunSpans = { minute: NO_SPAN, hour: NO_SPAN }

/** Writes a point per minute and per hour for each route: one row a minute, and one an hour. */
export class History {
  readonly #store: OperatorStore
  #minute: HistorySpan
  #hour: HistorySpan
  #plan: Plan | null = null
  #newest: RoutesFeedback = {}

  /** `begun` is what `begun` was before a restart. */
  constructor(store: OperatorStore, { minute, hour }: BegunSpans) {
    this.#store = store
    this.#minute = minute
    this.#hour = hour
  }

  get begun(): BegunSpans {
    return { minute: this.#minute, hour: this.#hour }
  }

  /** Adds a tick. If it begins a new minute, the one before is stored and returned; else null. */
  add({ atMs, lengthMs, routes }: TickRecord, plan: Plan): HistorySpan | null {
    const index = Math.floor(atMs / MINUTE_MS)
    const isNew = index !== this.#minute.index
    const ended = isNew && this.#minute.index >= 0 ? this.#minute : null
    // A minute that began before a restart may end with the first tick after it.
    this.#plan ??= plan
    if (isNew) {
      if (ended !== null) this.#endMinute()
      this.#minute = { ...NO_SPAN, index }
    }
    this.#minute = added(this.#minute, lengthMs, routes)
    this.#plan = plan
    this.#newest = routes
    return ended
  }

  /** Stores the minute that has begun, as far as it has come. */
  flush(): void {
    if (this.#minute.index >= 0) this.#put(this.#minute, MINUTE_MS, this.#minute.index % MINUTES)
  }

  points(route: string, range: Exclude<HistoryRange, 'minute'>, nowMs: number): RouteHistory {
    const [stepMs, from, slots, most] =
      range === 'quarter'
        ? [HOUR_MS, FIRST_HOUR_SLOT, HOURS, HOURS]
        : [MINUTE_MS, 0, MINUTES, range === 'day' ? MINUTES : 60]
    const rows = this.#store.history(from, from + slots, nowMs - most * stepMs, route)
    const points = rows.flatMap(({ atMs, data }) => unpackPoint(atMs, data) ?? [])
    return { route, range, stepMs, points }
  }

  #endMinute(): void {
    const { index, lengthMs, routes } = this.#minute
    this.flush()
    const hour = Math.floor((index * MINUTE_MS) / HOUR_MS)
    if (hour !== this.#hour.index) this.#hour = { ...NO_SPAN, index: hour }
    this.#hour = added(this.#hour, lengthMs, routes)
    // The row of the hour is written with its first minute and then every ten: few rows, and never long out of date.
    if (index % 10 === 9 || this.#hour.lengthMs === lengthMs)
      this.#put(this.#hour, HOUR_MS, FIRST_HOUR_SLOT + (hour % HOURS))
  }

  #put({ index, lengthMs, routes }: HistorySpan, stepMs: number, slot: number): void {
    const atMs = (index + 1) * stepMs
    const packed: Record<string, unknown> = {}
    for (const [name, feedback] of Object.entries(routes)) {
      const plan = this.#plan?.routes[name]
      if (plan === undefined) continue
      const { inFlight } = trafficPoint(this.#newest[name], { atMs, lengthMs, plan })
      const point = { ...trafficPoint(feedback, { atMs, lengthMs, plan }), inFlight }
      if (point.offered + point.requests + point.refused > 0) packed[name] = packPoint(point)
    }
    if (Object.keys(packed).length > 0) this.#store.putHistory(slot, atMs, packed)
  }
}

function added(span: HistorySpan, lengthMs: number, routes: RoutesFeedback): HistorySpan {
  return {
    index: span.index,
    lengthMs: span.lengthMs + lengthMs,
    routes: mergeRoutes(span.routes, routes),
  }
}
