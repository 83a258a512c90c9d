import { Hono } from 'hono'
import { describe, it } from 'vitest'
import { tidegate } from '../../src/index.ts'
import { FakePort, FakeRuntime } from '../support/fakes.ts'

const env = { TIDEGATE_SECRET: 'a secret of the tests, long enough to be one' }

/** A gate without a plan, which refuses everybody. */
function busySite() {
  const app = new Hono()
  const routes = [
    {
      ...{ name: 'shop', match: '/*', verdictHeader: true },
      ...{ startup: 'refuse' as const, whenFull: 'refuse' as const },
      classes: [{ name: 'buyers', value: 10, match: { path: '/checkout' } }],
    },
  ]
  const options = { coordinator: new FakePort(), env, runtime: new FakeRuntime(1_800_000_000_000) }
  app.use(tidegate({ routes }, options))
  app.all('*', (c) => c.text('page'))
  return (path: string, init: RequestInit = {}) =>
    app.request(new Request(`https://shop.example.com${path}`, init))
}

describe('a refusal', () => {
  it('says as whom: route, class and reason, with a link to the explanation', async ({
    expect,
  }) => {
    const ask = busySite()
    for (const [path, name] of [
      ['/checkout', 'buyers'],
      ['/', 'default'],
    ] as const) {
      const answer = await ask(path)
      expect(answer.status).toBe(503)
      const verdict = `refuse; reason=startup; route=shop; class=${name}`
      expect(answer.headers.get('Tidegate-Verdict')?.split('; id=')[0]).toBe(verdict)
      const problem = (await answer.json()) as { type: string }
      expect(problem).toMatchObject({ reason: 'startup', route: 'shop', class: name })
      const [page, anchor] = problem.type.split('#') as [string, string]
      const explanation = await ask(page)
      expect(explanation.status).toBe(200)
      expect(await explanation.text()).toContain(`id="${anchor}"`)
    }
  })

  it('of a POST does not promise a browser that the page retries by itself', async ({ expect }) => {
    const headers = { Accept: 'text/html' }
    const ask = busySite()
    expect(await (await ask('/', { headers })).text()).toContain('by itself')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await ask('/', { method, headers })
      const page = await answer.text()
      expect(page).toContain('<!doctype html>')
      expect(page).not.toContain('by itself')
      expect(page).not.toContain('http-equiv="refresh"')
      expect(answer.headers.get('Refresh')).toBeNull()
    }
  })
})
