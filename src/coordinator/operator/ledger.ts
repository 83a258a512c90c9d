import type { RoutesFeedback } from '../../protocol/merge-reports.ts'
import { type BegunSpans, type HistorySpan, NO_SPAN, NOTHING_BEGUN } from './history.ts'
import type { ObservedCurve } from './observed-curve.ts'
import type { ReportCounts } from './route-status.ts'
import type { OperatorStore } from './store.ts'
import { NOTHING_WATCHED, type WatchState } from './watch.ts'

const VERSION = 1
const KEY = 'ledger'
/** Routes in one row: a row of SQLite in a Durable Object has at most 2 MB. */
const ROUTES_PER_ROW = 50

interface Ledger {
  readonly version: typeof VERSION
  readonly reports: ReportCounts
  readonly hour: SpanHead
  /** Absent: an earlier release wrote this. */
  readonly minute?: SpanHead
  readonly watch: WatchState
  readonly curve?: ObservedCurve
  /** Number of rows with totals. */
  readonly rows: number
}

type SpanHead = Pick<HistorySpan, 'index' | 'lengthMs'>

interface LedgerRow {
  readonly totals: RoutesFeedback
  readonly hour: RoutesFeedback
  readonly minute?: RoutesFeedback
}

/** What the operator's side must know after a restart. */
export interface LedgerContent {
  /** All that was ever counted, by route and class. */
  readonly totals: RoutesFeedback
  readonly reports: ReportCounts
  readonly begun: BegunSpans
  readonly watch: WatchState
  readonly curve: ObservedCurve
}

const EMPTY: LedgerContent = {
  totals: {},
  reports: { taken: 0, repeated: 0, refused: 0 },
  begun: NOTHING_BEGUN,
  watch: NOTHING_WATCHED,
  curve: {},
}

export function readLedger(store: OperatorStore): LedgerContent {
  const head = store.value(KEY) as Ledger | undefined
  if (head?.version !== VERSION) return EMPTY
  let totals: RoutesFeedback = {}
  let hour: RoutesFeedback = {}
  let minute: RoutesFeedback = {}
  for (let i = 0; i < head.rows; i++) {
    const row = store.value(rowKey(i)) as LedgerRow | undefined
    totals = { ...totals, ...row?.totals }
    hour = { ...hour, ...row?.hour }
    minute = { ...minute, ...row?.minute }
  }
  const { reports, watch, curve = {} } = head
  const begun = {
    hour: { ...head.hour, routes: hour },
    minute: { ...(head.minute ?? NO_SPAN), routes: minute },
  }
  return { totals, reports, begun, watch, curve }
}

/** Two rows, and one more for each 50 routes. */
export function writeLedger(store: OperatorStore, content: LedgerContent): void {
  const { totals, reports, watch, curve } = content
  const { minute, hour } = content.begun
  const names = [
    ...new Set([totals, hour.routes, minute.routes].flatMap((routes) => Object.keys(routes))),
  ]
  const rows = Math.ceil(names.length / ROUTES_PER_ROW)
  for (let i = 0; i < rows; i++) {
    const own = names.slice(i * ROUTES_PER_ROW, (i + 1) * ROUTES_PER_ROW)
    const row: LedgerRow = {
      totals: pick(totals, own),
      hour: pick(hour.routes, own),
      minute: pick(minute.routes, own),
    }
    store.setValue(rowKey(i), row)
  }
  const head: Ledger = {
    ...{ version: VERSION, reports, watch, curve, rows },
    hour: headOf(hour),
    minute: headOf(minute),
  }
  store.setValue(KEY, head)
}

const headOf = ({ index, lengthMs }: HistorySpan): SpanHead => ({ index, lengthMs })

const rowKey = (i: number): string => `${KEY} ${i}`

function pick(routes: RoutesFeedback, names: readonly string[]): RoutesFeedback {
  return Object.fromEntries(names.flatMap((name) => (routes[name] ? [[name, routes[name]]] : [])))
}
