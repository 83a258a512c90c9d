import fc from 'fast-check'
import { Hono } from 'hono'
import { describe, it } from 'vitest'
import { tidegate } from '../../src/index.ts'

/** A gate that never gets a plan, and refuses everything. */
const SHUT = { startup: 'refuse', failure: 'closed' } as const
const coordinator = { report: () => new Promise<never>(() => {}) }
const SECRET = 'a secret of the tests, long enough to be one'

describe('spellings of a path at the middleware', () => {
  it('take the limited route if any reading does', async ({ expect }) => {
    const app = new Hono()
    const routes = [
      { name: 'api', match: '/api/*', ...SHUT },
      { name: 'rest', match: '/*', mode: 'off' as const },
    ]
    app.use(tidegate({ routes }, { coordinator, env: { TIDEGATE_SECRET: SECRET } }))
    app.get('*', (c) => c.text('handler'))
    for (const path of ['/api/x', '/api/..%2fx', '/x/..%2fapi/y', '/api;v=1/x', '/api/%2e%2e%2fx'])
      expect((await app.request(path)).status, path).toBe(503)
    expect((await app.request('/x')).status).toBe(200)
  })
})

describe('the middleware before Hono’s router', { timeout: 60_000 }, () => {
  it('leaves no spelling of a gated path ungated, in 10,000 random spellings', async ({
    expect,
  }) => {
    const app = new Hono()
    const routes = [{ match: '/shop/*', ...SHUT }]
    app.use(tidegate({ routes }, { coordinator, env: { TIDEGATE_SECRET: SECRET } }))
    app.get('/shop/:item', (c) => c.text('shop'))
    app.get('/shop/:item/*', (c) => c.text('shop'))
    app.get('/shop', (c) => c.text('shop'))
    app.get('*', (c) => c.text('other'))
    const letter = fc.constantFrom(
      ...['s', 'h', 'o', 'p', 'shop', '%73hop', 'sh%6Fp', '/', '//', '%2f', '%2F', '%5c', '\\'],
      ...['.', '..', '%2e', '%2E%2e', ';', ';x=1', '%3b', '7', 'item', '%', '%zz', '%ff', 'é'],
    )
    await fc.assert(
      fc.asyncProperty(fc.array(letter, { maxLength: 7 }), fc.boolean(), async (parts, inShop) => {
        const answer = await app.request(
          `http://site.example${inShop ? '/shop/' : '/'}${parts.join('')}`,
        )
        // A handler of the shop answers only what the gate let through, and it lets nothing through.
        if (answer.status === 200) expect(await answer.text()).not.toBe('shop')
      }),
      { numRuns: 10_000 },
    )
  })
})
