import { describe, it } from 'vitest'
import { gateOf } from '../support/gates.ts'

const PAGE_MS = 100

describe('the service times of tiers, for the plan of servers', () => {
  const siteOf = async () => {
    const { visit, runtime, route } = await gateOf(
      { granularity: 'request', capacity: { tiers: [{ name: 'app' }] } },
      {},
    )
    const ask = async (path: string, status: number, ms: number, headers = {}) => {
      const asked = visit(path)
      asked.begin(runtime.now())
      await runtime.advance(ms)
      const timing = { 'Server-Timing': `app;dur=${ms}`, ...headers }
      asked.answered(new Response(null, { status, headers: timing }), runtime.now())
    }
    const drain = () => route.origin.tierTimes!.drain()?.app
    return { ask, drain }
  }

  it('are of pages, and not of cheap answers such as 404', async ({ expect }) => {
    const { ask, drain } = await siteOf()
    for (let i = 0; i < 30; i++) {
      await ask('/', 200, PAGE_MS)
      await ask('/gone', 404, 1)
    }
    drain()
    for (let i = 0; i < 30; i++) {
      await ask('/', 200, PAGE_MS)
      await ask('/gone', 404, 1)
    }
    const { visits, us } = drain()!
    // Of the cheap answers one stands in for many.
    expect(visits).toBeLessThanOrEqual(32)
    expect(us / visits / 1000).toBeGreaterThan(0.93 * PAGE_MS)
  })

  it('are not of answers from a cache, whose header is an old one', async ({ expect }) => {
    const { ask, drain } = await siteOf()
    await ask('/', 200, PAGE_MS, { 'CF-Cache-Status': 'HIT' })
    expect(drain()).toBeUndefined()
    await ask('/', 200, PAGE_MS)
    expect(drain()).toMatchObject({ answers: 1, visits: 1, us: 1000 * PAGE_MS })
  })
})
