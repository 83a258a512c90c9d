import { Hono } from 'hono'
import { describe, it } from 'vitest'
import type { RouteConfig } from '../../src/config/user-config.ts'
import { tidegate } from '../../src/index.ts'
import { FakePort, FakeRuntime } from '../support/fakes.ts'

const env = { TIDEGATE_SECRET: 'a secret of the tests, long enough to be one' }

/** A site that has admitted one visitor; everybody with its cookie asks from another address. */
async function shared(keys: Partial<RouteConfig> = {}) {
  const app = new Hono()
  const runtime = new FakeRuntime(1_800_000_000_000)
  const routes = [{ name: 'shop', match: '/*', verdictHeader: true, ...keys }]
  app.use(tidegate({ routes }, { coordinator: new FakePort(), env, runtime }))
  app.all('*', (c) => c.text('page'))
  const first = await app.request('https://shop.example.com/')
  const Cookie = first.headers.get('Set-Cookie')!.split(';')[0]!
  let client = 0
  const ask = async (): Promise<{ status: number; verdict: string }> => {
    client++
    const headers = { Cookie, 'CF-Connecting-IP': `10.${client >> 8}.${client & 255}.1` }
    const answer = await app.request('https://shop.example.com/search', { headers })
    return { status: answer.status, verdict: answer.headers.get('Tidegate-Verdict')! }
  }
  return { ask, runtime }
}

describe('a session cookie that is passed around', () => {
  it('admits no more than one browser would ask for, and then refuses with fairness', async ({
    expect,
  }) => {
    const { ask, runtime } = await shared()
    const answers = []
    for (let i = 0; i < 500; i++) answers.push(await ask())
    const admitted = answers.filter(({ status }) => status === 200).length
    expect(admitted).toBe(288)
    expect(answers.at(-1)!.status).toBe(503)
    expect(answers.at(-1)!.verdict).toMatch(/^refuse; reason=fairness; route=shop; class=default;/)
    // From then on the steady rate of 20/s.
    let later = 0
    for (let tenth = 0; tenth < 100; tenth++) {
      await runtime.advance(100)
      for (let i = 0; i < 10; i++) if ((await ask()).status === 200) later++
    }
    expect(later / 10).toBeGreaterThan(18)
    expect(later / 10).toBeLessThan(22)
  })

  it('passes at any rate where the route says so, and in observe', async ({ expect }) => {
    for (const keys of [{ session: { maxRate: 0 } }, { mode: 'observe' } as const]) {
      const { ask } = await shared(keys)
      for (let i = 0; i < 400; i++) expect((await ask()).status).toBe(200)
    }
  })
})
