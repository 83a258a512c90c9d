import type { AuditEntry, OriginEvent } from './records.ts'

/** What is stored for operators. Calls are synchronous, as they are in a Durable Object's SQLite. */
export interface OperatorStore {
  /** A JSON value; undefined: there is none. */
  value(key: string): unknown
  setValue(key: string, value: unknown): void
  /** Writes one row. A row with the same slot is replaced, so the number of slots bounds the history. */
  putHistory(slot: number, atMs: number, routes: Readonly<Record<string, unknown>>): void
  /** What the rows from slot `from` up to, but without, slot `to` have of one route, oldest first. */
  history(from: number, to: number, sinceMs: number, route: string): readonly HistoryRow[]
  append<Name extends LogName>(log: Name, entry: LogEntries[Name]): void
  /** Newest first; those before `beforeMs`, of one route or of all. Events of the whole origin are always among them. */
  page<Name extends LogName>(
    log: Name,
    beforeMs: number,
    limit: number,
    route: string | null,
  ): readonly LogEntries[Name][]
  /** Keeps only the newest entries. */
  prune(log: LogName, most: number): void
}

export interface HistoryRow {
  readonly atMs: number
  readonly data: unknown
}

interface LogEntries {
  readonly events: OriginEvent
  readonly audit: AuditEntry
}

export type LogName = keyof LogEntries

/** The store of a coordinator that runs in process: it lasts as long as the process. */
export class MemoryStore implements OperatorStore {
  readonly #values = new Map<string, string>()
  readonly #history = new Map<number, { atMs: number; routes: Readonly<Record<string, unknown>> }>()
  readonly #logs: { [Name in LogName]: LogEntries[Name][] } = { events: [], audit: [] }

  value(key: string): unknown {
    const json = this.#values.get(key)
    return json === undefined ? undefined : JSON.parse(json)
  }

  setValue(key: string, value: unknown): void {
    this.#values.set(key, JSON.stringify(value))
  }

  putHistory(slot: number, atMs: number, routes: Readonly<Record<string, unknown>>): void {
    this.#history.set(slot, { atMs, routes })
  }

  history(from: number, to: number, sinceMs: number, route: string): readonly HistoryRow[] {
    return [...this.#history]
      .filter(([slot, { atMs }]) => slot >= from && slot < to && atMs > sinceMs)
      .map(([, { atMs, routes }]) => ({ atMs, data: routes[route] }))
      .filter(({ data }) => data !== undefined)
      .sort((a, b) => a.atMs - b.atMs)
  }

  append<Name extends LogName>(log: Name, entry: LogEntries[Name]): void {
    this.#logs[log].push(entry)
  }

  page<Name extends LogName>(
    log: Name,
    beforeMs: number,
    limit: number,
    route: string | null,
  ): readonly LogEntries[Name][] {
    return this.#logs[log]
      .filter(
        (entry) =>
          entry.atMs < beforeMs &&
          (route === null || entry.route === route || entry.route === null),
      )
      .toReversed()
      .slice(0, limit)
  }

  prune(log: LogName, most: number): void {
    this.#logs[log].splice(0, this.#logs[log].length - most)
  }
}
