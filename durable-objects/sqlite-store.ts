import type { AuditEntry, OriginEvent } from '../src/coordinator/operator/records.ts'
import type { HistoryRow, LogName, OperatorStore } from '../src/coordinator/operator/store.ts'

interface LogEntries {
  readonly events: OriginEvent
  readonly audit: AuditEntry
}

/** What is stored for operators, in the SQLite of a coordinator. */
export class SqliteStore implements OperatorStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    sql.exec(`
      CREATE TABLE IF NOT EXISTS operator_values (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS operator_history (slot INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, json TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS operator_logs (
        log TEXT NOT NULL, at_ms INTEGER NOT NULL, route TEXT, json TEXT NOT NULL, PRIMARY KEY (log, at_ms)
      ) WITHOUT ROWID;
    `)
  }

  value(key: string): unknown {
    const [row] = this.#sql
      .exec<{ json: string }>('SELECT json FROM operator_values WHERE key = ?', key)
      .toArray()
    return row === undefined ? undefined : JSON.parse(row.json)
  }

  setValue(key: string, value: unknown): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO operator_values (key, json) VALUES (?, ?)',
      key,
      JSON.stringify(value),
    )
  }

  putHistory(slot: number, atMs: number, routes: Readonly<Record<string, unknown>>): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO operator_history (slot, at_ms, json) VALUES (?, ?, ?)',
      slot,
      atMs,
      JSON.stringify(routes),
    )
  }

  /** SQLite takes the route out of each row, because the rows of many routes would not fit into memory together. */
  history(from: number, to: number, sinceMs: number, route: string): readonly HistoryRow[] {
    const rows = this.#sql.exec<{ at_ms: number; data: string | null }>(
      `SELECT at_ms, json_extract(json, ?) AS data FROM operator_history
       WHERE slot >= ? AND slot < ? AND at_ms > ? ORDER BY at_ms`,
      `$.${JSON.stringify(route)}`,
      from,
      to,
      sinceMs,
    )
    const found: HistoryRow[] = []
    for (const { at_ms, data } of rows)
      if (data !== null) found.push({ atMs: at_ms, data: JSON.parse(data) })
    return found
  }

  append<Name extends LogName>(log: Name, entry: LogEntries[Name]): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO operator_logs (log, at_ms, route, json) VALUES (?, ?, ?, ?)',
      log,
      entry.atMs,
      entry.route,
      JSON.stringify(entry),
    )
  }

  page<Name extends LogName>(
    log: Name,
    beforeMs: number,
    limit: number,
    route: string | null,
  ): readonly LogEntries[Name][] {
    return this.#sql
      .exec<{ json: string }>(
        `SELECT json FROM operator_logs
         WHERE log = ?1 AND at_ms < ?2 AND (?3 IS NULL OR route IS NULL OR route = ?3)
         ORDER BY at_ms DESC LIMIT ?4`,
        log,
        beforeMs,
        route,
        limit,
      )
      .toArray()
      .map(({ json }) => JSON.parse(json) as LogEntries[Name])
  }

  prune(log: LogName, most: number): void {
    this.#sql.exec(
      `DELETE FROM operator_logs WHERE log = ?1 AND at_ms <=
       (SELECT at_ms FROM operator_logs WHERE log = ?1 ORDER BY at_ms DESC LIMIT 1 OFFSET ?2)`,
      log,
      most,
    )
  }
}
