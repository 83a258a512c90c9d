import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import { coordinatorServer } from '../../node/index.ts'
import { ObjectStorage } from '../../node/object-storage.ts'
import { NodeObjects } from '../../node/objects.ts'
import { httpCoordinator, type TidegateConfig, tidegate } from '../../src/index.ts'
import { FakeRuntime, settle } from '../support/fakes.ts'
import { feedbackOf, setupOf } from '../support/feedback.ts'

const SECRET = 'the secret of edges and server, long enough'
const TOKEN = 'the token of the operators'
const CONFIG: TidegateConfig = {
  routes: [{ name: 'shop', match: '/*', granularity: 'request', sla: { targetMs: 50 } }],
}

let folder: string
const open: { close(): void }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-server-'))
})
afterEach(() => {
  for (const one of open.splice(0)) one.close()
  rmSync(folder, { recursive: true, force: true })
})

function start() {
  const env = { TIDEGATE_SECRET: SECRET, TIDEGATE_ADMIN_TOKEN: TOKEN }
  const server = coordinatorServer({ config: CONFIG, folder, env })
  open.push(server)
  const ask = async (path: string, body?: object) => {
    const response = await server.fetch(
      new Request(`http://server.example.com/_tidegate/api/v1/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    )
    return { status: response.status, body: (await response.json().catch(() => null)) as never }
  }
  return { server, ask }
}

/** An edge on another platform, whose app answers after this time. The clock is its own. */
function edgeOf(
  server: { fetch(request: Request): Response | Promise<Response> },
  answerMs: number,
) {
  const runtime = new FakeRuntime(Date.now())
  const send = async (url: string, init: RequestInit) => {
    const length = String(new TextEncoder().encode(String(init.body)).length)
    const headers = { ...(init.headers as Record<string, string>), 'Content-Length': length }
    return server.fetch(new Request(url, { ...init, headers }))
  }
  const coordinator = httpCoordinator({
    url: 'http://server.example.com',
    secret: SECRET,
    fetch: send,
  })
  const app = new Hono()
  app.use(tidegate(CONFIG, { coordinator, runtime, env: { TIDEGATE_SECRET: SECRET } }))
  app.all('*', async (c) => {
    await runtime.sleep(answerMs)
    return c.text('page')
  })
  /** So many requests in each of these seconds. */
  const flood = async (perSecond: number, seconds: number) => {
    const statuses: Promise<number>[] = []
    for (let i = 0; i < perSecond * seconds; i++) {
      statuses.push(Promise.resolve(app.request('/')).then(({ status }) => status))
      await runtime.advance(1000 / perSecond)
      vi.setSystemTime(runtime.now())
      await settle()
    }
    await runtime.advance(5000)
    return Promise.all(statuses)
  }
  return { flood }
}

describe('a coordinator on Node', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  it('takes the reports of an edge, learns a limit, and has it after a restart', async ({
    expect,
  }) => {
    const { server, ask } = start()
    const statuses = await edgeOf(server, 200).flood(20, 20)
    // Every answer is later than the target, so the learner has to refuse.
    expect(statuses).toContain(503)
    const { body: before } = await ask('routes/shop/status')
    const { plan, learner } = before as { plan: { limit: number }; learner: { state: object } }
    expect(plan.limit).toBeGreaterThan(0)
    const action = { action: 'mode', mode: 'observe', note: 'a test' }
    expect(await ask('routes/shop/actions', action)).toMatchObject({ status: 201 })
    server.close()
    open.splice(0)

    const again = start()
    const { body: after } = await again.ask('routes/shop/status')
    expect(after).toMatchObject({
      plan: { limit: plan.limit },
      mode: 'observe',
      learner: { state: learner.state },
    })
    const { body: audit } = await again.ask('audit')
    expect(JSON.stringify(audit)).toContain('observe')
  })

  it('refuses reports that are not signed with its secret, and operators without its token', async ({
    expect,
  }) => {
    const { server } = start()
    const forged = httpCoordinator({
      url: 'http://server.example.com',
      secret: 'another secret than that of the server',
      fetch: async (url, init) => server.fetch(new Request(url, init)),
    })
    await expect(forged.report(feedbackOf({}))).rejects.toThrow('401')
    const url = 'http://server.example.com/_tidegate/api/v1/routes'
    expect((await server.fetch(new Request(url))).status).toBe(401)
    expect((await server.fetch(new Request('http://server.example.com/'))).status).toBe(404)
  })
})

describe('the storage on Node', () => {
  it('goes on from memory while the disk is full, and stores again when there is room', ({
    expect,
  }) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const storage = new ObjectStorage(join(folder, 'full.sqlite'), () => {})
    open.push(storage)
    storage.kv.put('state', { seq: 1 })
    const [used] = storage.sql.exec('PRAGMA page_count')
    const { page_count: pages } = used as { page_count: number }
    storage.sql.exec(`PRAGMA max_page_count = ${pages}`)
    storage.kv.put('state', { seq: 2, large: 'x'.repeat(100_000) })
    storage.kv.put('state', { seq: 3, large: 'x'.repeat(100_000) })
    expect(storage.kv.get('state')).toEqual({ seq: 1 })
    expect(warn).toHaveBeenCalledTimes(1)
    expect(String(warn.mock.calls[0]![1])).toContain('full')
    storage.sql.exec('PRAGMA max_page_count = 10000')
    storage.kv.put('state', { seq: 4 })
    expect(storage.kv.get('state')).toEqual({ seq: 4 })
    warn.mockRestore()
  })

  it.for([
    ['is read-only from the start', '?mode=ro', null],
    ['becomes read-only', '', 'PRAGMA query_only = ON'],
  ] as const)(
    'reads what is stored and goes on from memory if the file %s',
    ([, mode, pragma], { expect }) => {
      const file = join(folder, 'read-only.sqlite')
      const before = new ObjectStorage(file, () => {})
      before.kv.put('state', { seq: 1 })
      before.close()
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
      // Root may write everywhere, so the file is opened as one that cannot be written.
      const storage = new ObjectStorage(`file:${file}${mode}`, () => {})
      open.push(storage)
      if (pragma !== null) storage.sql.exec(pragma)
      storage.kv.put('state', { seq: 2 })
      storage.kv.put('state', { seq: 3 })
      expect(storage.kv.get('state')).toEqual({ seq: 1 })
      expect(storage.sql.exec('CREATE TABLE more (a)')).toHaveLength(0)
      expect(warn).toHaveBeenCalledTimes(1)
      expect(String(warn.mock.calls[0]![1])).toContain('readonly')
      if (pragma !== null) {
        storage.sql.exec('PRAGMA query_only = OFF')
        storage.kv.put('state', { seq: 4 })
        expect(storage.kv.get('state')).toEqual({ seq: 4 })
      }
      warn.mockRestore()
    },
  )

  it('lets the coordinator answer while writes fail, and keeps what it learned meanwhile', async ({
    expect,
  }) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const objects = new NodeObjects(folder, {})
    open.push(objects)
    let seq = 0
    const report = () =>
      objects.bindings.TIDEGATE_COORDINATOR.getByName('origin').report(
        feedbackOf(
          { shop: { default: { offered: 200, admitted: 200 } } },
          { seq, toMs: Date.now() + 1000 * seq++, setup: setupOf() },
        ),
      )
    const stored = new DatabaseSync(join(folder, 'coordinator-origin.sqlite'))
    open.push(stored)
    const storedSeq = () => {
      const [row] = stored.prepare("SELECT json FROM object_values WHERE key = 'state'").all()
      return (JSON.parse(String(row!.json)) as { seq: number }).seq
    }
    await report()
    expect(storedSeq()).toBe(1)
    // Another program holds the file, so that every write fails.
    stored.exec('BEGIN IMMEDIATE')
    for (let i = 2; i <= 4; i++) expect((await report()).plan).toMatchObject({ seq: i })
    expect(storedSeq()).toBe(1)
    expect(String(warn.mock.calls[0]![1])).toContain('locked')
    stored.exec('ROLLBACK')
    await report()
    expect(storedSeq()).toBe(5)
    warn.mockRestore()
  })
})
