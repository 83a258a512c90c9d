import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import recorded from '../fixtures/messages-2.1.json' with { type: 'json' }
import { feedbackOf } from '../support/feedback.ts'
import { statusesOf } from './desk.ts'

const NOW = 1_800_000_000_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

const { state } = recorded
const ROUTE = state.setup.routes[0]!.name
const MINUTE_MS = 60_000

/** What version 0.1 wrote for operators. Never change it: databases with these tables exist. */
const TABLES_0_1 = [
  'CREATE TABLE operator_values (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID',
  'CREATE TABLE operator_history (slot INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, json TEXT NOT NULL)',
  `CREATE TABLE operator_logs (
    log TEXT NOT NULL, at_ms INTEGER NOT NULL, route TEXT, json TEXT NOT NULL, PRIMARY KEY (log, at_ms)
  ) WITHOUT ROWID`,
  'CREATE TABLE capacity_hours (hour INTEGER PRIMARY KEY, rates TEXT NOT NULL)',
]

const AUDIT = {
  ...{ id: 'an action', atMs: NOW - MINUTE_MS, origin: 'origin', route: ROUTE },
  ...{ operator: { name: 'somebody', via: 'token' }, text: 'Did something before the upgrade.' },
}

const tablesIn = (sql: SqlStorage): string[] =>
  [...sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")]
    .map(({ name }) => name)
    .filter((name) => /^(operator|capacity)/.test(name))

/** An object whose storage another version has written. */
async function objectWith(name: string, write: (storage: DurableObjectStorage) => void) {
  const stub = env.TIDEGATE_COORDINATOR.getByName(name)
  await runInDurableObject(stub, (_, { storage }) => {
    for (const table of tablesIn(storage.sql)) storage.sql.exec(`DROP TABLE ${table}`)
    write(storage)
  })
  await evictDurableObject(stub)
  const report = (seq: number) =>
    stub.report(
      feedbackOf(
        { [ROUTE]: { default: { offered: 10, admitted: 10 } } },
        { seq, toMs: Date.now(), setup: state.setup as never },
      ),
    )
  const auditOf = async () => {
    const page = { limit: 10, beforeMs: null, route: null } as const
    return await stub.ask({ op: 'audit', ...page })
  }
  return { stub, report, auditOf }
}

const oldTables = (sql: SqlStorage): void => {
  for (const table of TABLES_0_1) sql.exec(table)
  sql.exec(
    'INSERT INTO operator_logs (log, at_ms, route, json) VALUES (?, ?, ?, ?)',
    ...['audit', AUDIT.atMs, ROUTE, JSON.stringify(AUDIT)],
  )
}

describe('a database of another version', () => {
  it('that has the state alone keeps its knowledge, and gets the tables', async ({ expect }) => {
    const { stub, report } = await objectWith('before operators', (storage) => {
      void storage.put('state', state)
    })
    const [status] = await statusesOf(stub)
    expect(status!.learner.state).toEqual(state.learner)
    expect((await report(0)).plan!.seq).toBe(state.seq + 1)
    await runInDurableObject(stub, (_, { storage }) =>
      expect(tablesIn(storage.sql)).toHaveLength(TABLES_0_1.length),
    )
  })

  it('with the tables of version 0.1 keeps its knowledge and its audit log', async ({ expect }) => {
    const { stub, report, auditOf } = await objectWith('version 0.1', (storage) => {
      oldTables(storage.sql)
      void storage.put('state', state)
    })
    expect((await statusesOf(stub))[0]!.learner.state).toEqual(state.learner)
    expect(await auditOf()).toContain('before the upgrade')
    expect((await report(0)).plan!.seq).toBe(state.seq + 1)
  })

  it('that a newer version has written works after a rollback', async ({ expect }) => {
    const { stub, report, auditOf } = await objectWith('rolled back', (storage) => {
      oldTables(storage.sql)
      for (const table of ['operator_values', 'operator_history', 'operator_logs'])
        storage.sql.exec(`ALTER TABLE ${table} ADD COLUMN added_later TEXT DEFAULT 'unknown'`)
      storage.sql.exec('CREATE TABLE operator_novelties (id INTEGER PRIMARY KEY)')
      void storage.put('state', { ...state, version: state.version + 1, addedLater: [1] })
    })
    expect((await statusesOf(stub))[0]!.learner.state).toEqual(state.learner)
    expect(await auditOf()).toContain('before the upgrade')
    for (let seq = 0; seq < 70; seq++) {
      vi.setSystemTime(Date.now() + 1000)
      await report(seq)
    }
    // A minute has ended, so this version has written into the tables of the other.
    await runInDurableObject(stub, (_, { storage }) =>
      expect([...storage.sql.exec('SELECT slot FROM operator_history')]).not.toHaveLength(0),
    )
  })
})
