import type { RoutesFeedback } from '../../protocol/merge-reports.ts'
import { type HistorySpan, NO_SPAN } from './history.ts'
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
  readonly hour: Pick<HistorySpan, 'index' | 'lengthMs'>
  readonly watch: WatchState
  readonly curve?: ObservedCurve
  /** Number of rows with totals. */
  readonly rows: number
}

interface LedgerRow {
  readonly totals: RoutesFeedback
  readonly hour: RoutesFeedback
}

/** What the operator's side must know after a restart. */
export interface LedgerContent {
  /** All that was ever counted, by route and class. */
  readonly totals: RoutesFeedback
  readonly reports: ReportCounts
  readonly hour: HistorySpan
  readonly watch: WatchState
  readonly curve: ObservedCurve
}

const EMPTY: LedgerContent = {
  totals: {},
  reports: { taken: 0, repeated: 0, refused: 0 },
  hour: NO_SPAN,
  watch: NOTHING_WATCHED,
  curve: {},
}

export function readLedger(store: OperatorStore): LedgerContent {
  const head = store.value(KEY) as Ledger | undefined
  if (head?.version !== VERSION) return EMPTY
  let totals: RoutesFeedback = {}
  let hour: RoutesFeedback = {}
  for (let i = 0; i < head.rows; i++) {
    const row = store.value(rowKey(i)) as LedgerRow | undefined
    totals = { ...totals, ...row?.totals }
    hour = { ...hour, ...row?.hour }
  }
  const { reports, watch, curve = {} } = head
  return { totals, reports, hour: { ...head.hour, routes: hour }, watch, curve }
}

/** Two rows, and one more for each 50 routes. */
export function writeLedger(store: OperatorStore, content: LedgerContent): void {
  const { totals, reports, hour, watch, curve } = content
  const names = [...new Set([...Object.keys(totals), ...Object.keys(hour.routes)])]
  const rows = Math.ceil(names.length / ROUTES_PER_ROW)
  for (let i = 0; i < rows; i++) {
    const own = names.slice(i * ROUTES_PER_ROW, (i + 1) * ROUTES_PER_ROW)
    const row: LedgerRow = { totals: pick(totals, own), hour: pick(hour.routes, own) }
    store.setValue(rowKey(i), row)
  }
  const { index, lengthMs } = hour
  const head: Ledger = { version: VERSION, reports, hour: { index, lengthMs }, watch, curve, rows }
  store.setValue(KEY, head)
}

const rowKey = (i: number): string => `${KEY} ${i}`

function pick(routes: RoutesFeedback, names: readonly string[]): RoutesFeedback {
  return Object.fromEntries(names.flatMap((name) => (routes[name] ? [[name, routes[name]]] : [])))
}
