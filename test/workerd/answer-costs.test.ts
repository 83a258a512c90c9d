import { createExecutionContext, env } from 'cloudflare:test'
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, it, vi } from 'vitest'
import type { RouteConfig } from '../../src/config/user-config.ts'
import { InProcessCoordinator, tidegate } from '../../src/index.ts'
import type { CoordinatorPort } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { FakeRuntime } from '../support/fakes.ts'

const NOW = 1_800_000_000_000
/** Each test sends some hundred requests one after the other. */
const SLOW = { timeout: 60_000 }
const PAGE_MS = 20
const SEARCH_MS = 160

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterEach(() => void vi.useRealTimers())

/** A shop with pages, searches and answers without a page. Its visitors come one after the other, each with a session. */
function shopOf(keys: Partial<RouteConfig>) {
  const runtime = new FakeRuntime(NOW)
  const coordinator = new InProcessCoordinator(runtime.now)
  const reports: Feedback[] = []
  const port: CoordinatorPort = {
    report(feedback) {
      reports.push(feedback)
      return coordinator.report(feedback)
    },
  }
  const app = new Hono()
  const learner = { name: 'fixed', limit: 1000 } as const
  const route = { name: 'shop', match: '/*', learner, ...keys }
  app.use(tidegate({ routes: [route] }, { coordinator: port, runtime }))
  app.on('HEAD', '/', (c) => c.body(null))
  app.get('/', async (c) => {
    if (c.req.method !== 'HEAD') await runtime.advance(PAGE_MS)
    return c.text('page')
  })
  app.get('/search', async (c) => {
    await runtime.advance(SEARCH_MS)
    return c.text('found')
  })
  for (const status of [404, 304, 302] as const)
    app.get(`/${status}`, () => new Response(null, { status }))
  const ask = async (path: string, method = 'GET') => {
    const request = new Request(`https://shop.example.com${path}`, { method })
    const response = await app.fetch(request, env, createExecutionContext())
    await response.text()
    // A moment passes before the next visitor.
    await runtime.advance(1)
  }
  const plan = () => coordinator.core(reports[0]!.origin).plan!.routes.shop!.classes
  /** What was counted since the report of this number, over all classes. */
  const counted = (name: 'served' | 'ignoredServed' | 'extraCost', from = 0): number =>
    reports
      .slice(from)
      .flatMap(({ routes }) => Object.values(routes.shop?.classes ?? {}))
      .reduce((sum, counts) => sum + (counts[name] ?? 0), 0)
  return { ask, runtime, reports, plan, counted }
}

/** Of ten answers two are searches, in an order without a pattern of its own. */
const isSearch = (i: number) => (i * 7) % 10 < 2
const CLASSES = [{ name: 'searchers', match: { path: '/search' } }, { name: 'readers' }]
/** The mean answer takes 0.8 × 20 + 0.2 × 160 = 48 ms. */
const MEAN_MS = 0.8 * PAGE_MS + 0.2 * SEARCH_MS

describe('load by learned cost', () => {
  it.for(['session', 'request'] as const)(
    'is reported by isolates, and a search takes eight times as much of the limit as a page, with granularity %s',
    SLOW,
    async (granularity, { expect }) => {
      const { ask, plan, counted } = shopOf({ granularity, classes: CLASSES })
      for (let i = 0; i < 800; i++) await ask(isSearch(i) ? '/search' : '/')
      // The usual mix costs as many pages as it has answers.
      expect(Math.abs(counted('extraCost') / 1000)).toBeLessThan(0.1 * counted('served'))
      const { searchers, readers } = plan()
      expect(searchers!.cost).toBeCloseTo(SEARCH_MS / MEAN_MS, 0)
      expect(readers!.cost).toBeCloseTo(PAGE_MS / MEAN_MS, 0)
      expect(searchers!.cost / readers!.cost).toBeGreaterThan(6)
    },
  )

  it(
    'is learned by path where all are of one class: after the mix has changed, each request costs more',
    SLOW,
    async ({ expect }) => {
      const { ask, plan, counted } = shopOf({ granularity: 'request' })
      for (let i = 0; i < 500; i++) await ask(isSearch(i) ? '/search' : '/')
      expect(plan().default!.cost).toBeGreaterThan(0.7)
      expect(plan().default!.cost).toBeLessThan(1.3)
      for (let i = 0; i < 200; i++) await ask(isSearch(i) ? '/' : '/search')
      // 0.2 × 20 + 0.8 × 160 = 132 ms, 2.75 times as much, and the unit has moved a little.
      expect(plan().default!.cost).toBeGreaterThan(1.7)
      // Pages stay pages, although they are few and fast among searches.
      expect(counted('ignoredServed')).toBe(0)
    },
  )

  it(
    'is not raised on session routes by 404, 304, redirects and HEAD, and a session costs what it did',
    SLOW,
    async ({ expect }) => {
      const { ask, plan, counted, reports } = shopOf({})
      for (let i = 0; i < 200; i++) await ask('/')
      expect(plan().default!.cost).toBe(1)
      const cheap = async () => {
        for (const path of ['/404', '/304', '/302']) await ask(path)
        await ask('/', 'HEAD')
      }
      const round = async () => {
        await ask('/')
        await cheap()
      }
      for (let i = 0; i < 50; i++) await round()
      const from = reports.length
      for (let i = 0; i < 200; i++) await round()
      const [served, ignored] = [counted('served', from), counted('ignoredServed', from)]
      // Of five answers one is a page.
      expect(served).toBeGreaterThan(900)
      expect((served - ignored) / served).toBeGreaterThan(0.19)
      expect((served - ignored) / served).toBeLessThan(0.23)
      expect(plan().default!.cost).toBeGreaterThan(0.9)
      expect(plan().default!.cost).toBeLessThan(1.1)
    },
  )
})
