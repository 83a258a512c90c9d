import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/** A fault of the disk is in the log once in this time. */
const WARN_EVERY_MS = 60_000

/** What a Durable Object calls of its storage, in one SQLite file. */
export class ObjectStorage {
  readonly #db: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  readonly #onAlarm: () => void
  #alarmMs: number | null = null
  #timer: NodeJS.Timeout | null = null
  #warnedAtMs = Number.NEGATIVE_INFINITY

  constructor(file: string, onAlarm: () => void) {
    this.#onAlarm = onAlarm
    this.#db = new DatabaseSync(file)
    // After a crash of the machine the last seconds may be missing, but the file is whole.
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    this.#write(() =>
      this.#db.exec(
        'CREATE TABLE IF NOT EXISTS object_values (key TEXT PRIMARY KEY, json TEXT NOT NULL)',
      ),
    )
  }

  readonly sql = {
    exec: (query: string, ...values: SQLInputValue[]): unknown[] & { toArray(): unknown[] } => {
      const rows: unknown[] = this.#write(() => this.#run(query, values)) ?? []
      return Object.assign(rows, { toArray: () => rows })
    },
  }

  readonly kv = {
    get: (key: string): unknown => {
      const query = 'SELECT json FROM object_values WHERE key = ?'
      const [row] = this.#run(query, [key]) as { json: string }[]
      return row === undefined ? undefined : JSON.parse(row.json)
    },
    put: (key: string, value: unknown): void => {
      const query = 'INSERT OR REPLACE INTO object_values (key, json) VALUES (?, ?)'
      this.#write(() => this.#run(query, [key, JSON.stringify(value)]))
    },
  }

  async get(key: string): Promise<unknown> {
    return this.kv.get(key)
  }

  async put(key: string, value: unknown): Promise<void> {
    this.kv.put(key, value)
  }

  async getAlarm(): Promise<number | null> {
    return this.#alarmMs
  }

  async setAlarm(atMs: number): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#alarmMs = atMs
    this.#timer = setTimeout(
      () => {
        this.#alarmMs = null
        this.#timer = null
        this.#onAlarm()
      },
      Math.max(0, atMs - Date.now()),
    )
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#db.close()
  }

  #run(query: string, values: SQLInputValue[]): unknown[] {
    // `prepare` takes the first statement only.
    if (values.length === 0 && query.trim().replace(/;$/, '').includes(';')) {
      this.#db.exec(query)
      return []
    }
    let statement = this.#statements.get(query)
    if (statement === undefined) {
      statement = this.#db.prepare(query)
      this.#statements.set(query, statement)
    }
    return statement.all(...values)
  }

  /** A full or read-only disk ends nothing: the coordinator goes on from memory, and stores again when it can. */
  #write<Value>(run: () => Value): Value | null {
    try {
      return run()
    } catch (error) {
      if (Date.now() - this.#warnedAtMs >= WARN_EVERY_MS)
        console.warn('What is learned cannot be stored:', error)
      this.#warnedAtMs = Math.max(this.#warnedAtMs, Date.now())
      return null
    }
  }
}
