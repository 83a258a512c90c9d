import { mergeRoutes, type RoutesFeedback } from '../../protocol/merge-reports.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { CoordinatorCore } from '../coordinator-core.ts'
import type { TickRecord } from '../last-minute.ts'
import { type ActionResult, Actions, type Recorded } from './actions.ts'
import { type AnalyticsPoint, dataPoints } from './data-points.ts'
import type { DeskAnswer, DeskRequest, LogQuery } from './desk-messages.ts'
import { History, type RouteHistory } from './history.ts'
import { knownFeedback } from './known-feedback.ts'
import { type LedgerContent, readLedger, writeLedger } from './ledger.ts'
import { curveAfter, curvePoints, type ObservedCurve } from './observed-curve.ts'
import type { AuditEntry, EventKind, LogPage, OperatorChange, OriginEvent } from './records.ts'
import { roomEventsOf, setRoomEvent } from './room-events.ts'
import type { ReportCounts, RouteStatus } from './route-status.ts'
import { type OriginSnapshot, snapshotOf } from './snapshot.ts'
import type { OperatorStore } from './store.ts'
import { trafficPoint } from './traffic-point.ts'
import { VerdictRing } from './verdict-ring.ts'
import { type WatchState, watchAfter } from './watch.ts'
import { watchedTick } from './watched-tick.ts'

const MOST_EVENTS = 2000
const MOST_AUDIT_ENTRIES = 10_000

/** Where the desk sends what it notices. */
interface DeskOutput {
  /** Each event once, for the log and for those who watch. */
  tell(event: OriginEvent): void
  /** What each class did in the minute that has ended. */
  count?(points: readonly AnalyticsPoint[]): void
}

/**
 * The operator's side of one origin's coordinator: history, totals for metrics, events, actions and their audit log.
 * It follows the ticks of the core. What it keeps is in its store.
 */
export class OperatorDesk {
  readonly #core: CoordinatorCore
  readonly #store: OperatorStore
  readonly #out: DeskOutput
  readonly #actions: Actions
  readonly #history: History
  readonly #verdicts = new VerdictRing()
  readonly #reportsBefore: ReportCounts
  #totals: RoutesFeedback
  #watch: WatchState
  #curve: ObservedCurve
  #seen: TickRecord | undefined
  #lastIdMs: number
  #isSaved = true
  /** The count of taken reports that is stored. */
  #savedReports: number

  constructor(core: CoordinatorCore, store: OperatorStore, nowMs: number, out: DeskOutput) {
    this.#core = core
    this.#store = store
    this.#out = out
    this.#actions = new Actions(core, store, nowMs)
    const { totals, reports, begun, watch, curve } = readLedger(store)
    this.#curve = curve
    this.#totals = totals
    this.#reportsBefore = reports
    this.#savedReports = reports.taken
    this.#watch = watch
    this.#history = new History(store, begun)
    this.#seen = core.ticks.at(-1)
    const newest = [...store.page('events', Number.MAX_SAFE_INTEGER, 1, null)]
    this.#lastIdMs = newest[0]?.atMs ?? 0
  }

  /** Call this after each report and alarm. True: there was a tick since the last call. */
  follow(nowMs: number): boolean {
    this.endActions(nowMs)
    const tick = this.#core.ticks.at(-1)
    const { state, plan } = this.#core
    if (tick === undefined || tick === this.#seen || !state || !plan) return false
    this.#seen = tick
    this.#verdicts.add(tick.routes)
    const known = { ...tick, routes: knownFeedback(state.setup, tick.routes) }
    this.#totals = mergeRoutes(this.#totals, known.routes)
    this.#curve = curveAfter(this.#curve, known, state.setup)
    this.#isSaved = false
    const minute = this.#history.add(known, plan)
    const isNews = this.#notice(known, plan, nowMs)
    if (minute !== null) this.#out.count?.(dataPoints(plan.origin, minute.routes))
    if (minute !== null || isNews) this.#save()
    return true
  }

  /** Stores what has not been stored yet: before a pause that may be long, and before an operator sees it. */
  flush(): void {
    if (!this.#isSaved) this.#save()
  }

  handle(request: DeskRequest, nowMs: number): DeskAnswer {
    this.endActions(nowMs)
    switch (request.op) {
      case 'status':
        return given(this.status(request.routes, nowMs))
      case 'history':
        return given(this.#historyOf(request.route, request.range, nowMs))
      case 'events':
        return given(pageOf(this.#store.page('events', ...queryOf(request)), request.limit))
      case 'audit':
        return given(this.#audit(request))
      case 'metrics':
        return given(this.#metrics(nowMs))
      case 'verdicts': {
        const { state } = this.#core
        return given(state ? this.#verdicts.newest(request.limit, request.route, state.setup) : [])
      }
      case 'act':
        if (request.action.action === 'forget') this.#curve = {}
        return this.#recorded(
          this.#actions.act(this.#nextId(nowMs), request, nowMs),
          'action',
          nowMs,
        )
      case 'room-events':
        return given(roomEventsOf(this.#core, request.route))
      case 'set-room-event':
        return this.#recorded(
          setRoomEvent(this.#core, this.#nextId(nowMs), request, nowMs),
          'action',
          nowMs,
        )
      case 'undo':
        return this.#recorded(
          this.#actions.undo(this.#nextId(nowMs), request.id, request.operator, nowMs),
          'undo',
          nowMs,
        )
    }
  }

  /** An operator or an autoscaler has changed something that is no override. It cannot be undone. */
  record(done: OperatorChange, nowMs: number): void {
    const { operator, ...entry } = done
    // Without an origin nothing was changed.
    if (this.#core.state === null) return
    const id = this.#nextId(nowMs)
    this.#record({ id, ...entry, ...operator, untilMs: null }, 'action', nowMs)
  }

  /** The status of the routes with these names; null: of all. */
  status(routes: readonly string[] | null, nowMs: number): readonly RouteStatus[] {
    const curve = curvePoints(this.#curve)
    return this.#core
      .status(nowMs, routes)
      .map((status) =>
        status.learner.curve === undefined
          ? { ...status, learner: { ...status.learner, curve } }
          : status,
      )
  }

  #historyOf(route: string, range: RouteHistory['range'], nowMs: number): RouteHistory {
    if (range !== 'minute') {
      this.flush()
      return this.#history.points(route, range, nowMs)
    }
    const { ticks, tickMs, plan } = this.#core
    const routePlan = plan?.routes[route]
    const points =
      routePlan === undefined
        ? []
        : ticks.map((tick, i) => {
            // The plan at the end of a tick held in the next one.
            const atEnd = { ...routePlan, ...ticks[i + 1]?.inForce[route] }
            return trafficPoint(tick.routes[route], { ...tick, plan: atEnd })
          })
    return { route, range, stepMs: tickMs, points }
  }

  #audit(query: LogQuery): LogPage<AuditEntry & { readonly isUndoable: boolean }> {
    const { entries, next } = pageOf(this.#store.page('audit', ...queryOf(query)), query.limit)
    const isUndoable = ({ id }: AuditEntry): boolean => this.#actions.isUndoable(id)
    return { entries: entries.map((one) => ({ ...one, isUndoable: isUndoable(one) })), next }
  }

  /** What a scrape has seen is stored first, so that no counter falls after a restart. */
  #metrics(nowMs: number): OriginSnapshot | null {
    // Reports are counted between ticks, too.
    if (!this.#isSaved || this.#reports().taken !== this.#savedReports) this.#save()
    return snapshotOf(this.#core, this.#totals, this.#reports(), nowMs)
  }

  /** When an action ends by itself; infinity: none does. */
  get actionEndsMs(): number {
    return this.#actions.nextEndMs
  }

  /** Actions that have ended by themselves. */
  endActions(nowMs: number): void {
    for (const ended of this.#actions.end(nowMs))
      this.#record({ id: this.#nextId(nowMs), ...ended }, 'action-ended', nowMs)
  }

  #recorded(result: ActionResult, kind: EventKind, nowMs: number): DeskAnswer {
    if ('detail' in result) return { ok: false, ...result }
    return given(this.#record(result, kind, nowMs))
  }

  #record(recorded: Recorded, kind: EventKind, nowMs: number): AuditEntry {
    const origin = this.#core.state!.setup.origin
    const entry = { ...recorded, atMs: Number.parseInt(recorded.id, 36), origin }
    this.#store.append('audit', entry)
    this.#append(kind, entry.route, entry.text, nowMs, entry.id)
    return entry
  }

  /** True: something has begun, ended or changed. */
  #notice(tick: TickRecord, plan: Plan, nowMs: number): boolean {
    const { state, events } = watchAfter(this.#watch, watchedTick(tick, plan, this.#core.state!))
    this.#watch = state
    for (const { kind, route, text } of events) this.#append(kind, route, text, nowMs)
    return events.length > 0
  }

  #append(
    kind: EventKind,
    route: string | null,
    text: string,
    nowMs: number,
    id = this.#nextId(nowMs),
  ): void {
    const { origin } = this.#core.state!.setup
    const event = { id, atMs: Number.parseInt(id, 36), origin, route, kind, text }
    this.#store.append('events', event)
    this.#out.tell(event)
  }

  /** An id is its time, and no two entries have the same time. */
  #nextId(nowMs: number): string {
    this.#lastIdMs = Math.max(this.#lastIdMs + 1, nowMs)
    return this.#lastIdMs.toString(36)
  }

  #reports(): ReportCounts {
    const [before, since] = [this.#reportsBefore, this.#core.reports]
    return {
      taken: before.taken + since.taken,
      repeated: before.repeated + since.repeated,
      refused: before.refused + since.refused,
    }
  }

  #save(): void {
    this.#history.flush()
    const { state } = this.#core
    // Routes that are no longer configured are forgotten.
    if (state) this.#totals = knownFeedback(state.setup, this.#totals)
    const content: LedgerContent = {
      totals: this.#totals,
      reports: this.#reports(),
      begun: this.#history.begun,
      watch: this.#watch,
      curve: this.#curve,
    }
    writeLedger(this.#store, content)
    this.#savedReports = content.reports.taken
    this.#store.prune('events', MOST_EVENTS)
    this.#store.prune('audit', MOST_AUDIT_ENTRIES)
    this.#isSaved = true
  }
}

const given = (value: unknown): DeskAnswer => ({ ok: true, value })

/** One entry more than asked for tells whether there is a next page. */
function queryOf({ beforeMs, limit, route }: LogQuery): [number, number, string | null] {
  return [beforeMs ?? Number.MAX_SAFE_INTEGER, limit + 1, route]
}

function pageOf<Entry extends { readonly atMs: number }>(
  entries: readonly Entry[],
  limit: number,
): LogPage<Entry> {
  const page = entries.slice(0, limit)
  return { entries: page, next: entries.length > limit ? page.at(-1)!.atMs : null }
}
