import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { cookiesOf, send } from '../support/e2e/client.ts'
import { WHEN_REPORTED } from '../support/e2e/figures.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let servers: readonly ScriptedOrigin[]
let gate: LocalGate

beforeAll(async () => {
  servers = await Promise.all([0, 1, 2].map(() => ScriptedOrigin.start()))
  for (const [i, server] of servers.entries())
    server.on('/who', ({ response }) => response.end(`server ${i}`))
  const [a, b] = servers.map(({ url }) => ({ url }))
  const pool = { affinity: true, slowStartMs: 0 }
  gate = await startLocalGate({
    config: {
      routes: [
        { name: 'blog', match: '/blog/*', origin: { servers: [a, b], ...pool, name: 'blog' } },
        { name: 'shop', match: '/*', origin: { servers: [a, b], ...pool, name: 'shop' } },
      ].map((route) => ({ ...route, learner: 'fixed', whenFull: 'refuse' })),
    },
    port: 0,
  })
})

afterAll(async () => {
  await gate?.close()
  await Promise.all((servers ?? []).map((server) => server.close()))
})

async function visitor(): Promise<{ cookie: string; server: string }> {
  const answer = await send(`${gate.url}/who`)
  return { cookie: cookiesOf(answer), server: answer.text }
}

async function act(path: string, body: object): Promise<number> {
  const headers = { Authorization: `Bearer ${gate.adminToken}`, 'Content-Type': 'application/json' }
  const url = `${gate.url}/_tidegate/api/v1${path}`
  return (await send(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

describe('Switching a server without losing a session (Urgaonkar et al. 2008, §6.1)', () => {
  it('keeps sessions at the server that they began at', async ({ expect }) => {
    const visitors = await Promise.all(Array.from({ length: 12 }, visitor))
    expect(new Set(visitors.map(({ server }) => server)).size).toBe(2)
    for (const { cookie, server } of visitors)
      for (let i = 0; i < 3; i++)
        expect((await send(`${gate.url}/who`, { headers: { Cookie: cookie } })).text).toBe(server)
  })

  it('drains a server: new sessions go elsewhere, and none of the old ones breaks', async ({
    expect,
  }) => {
    const visitors = await Promise.all(Array.from({ length: 12 }, visitor))
    const old = visitors.filter(({ server }) => server === 'server 0')
    expect(old.length).toBeGreaterThan(0)
    expect(await act('/routes/shop/servers/drain', { url: servers[0]!.url })).toBe(204)
    await expect
      .poll(async () => {
        const fresh = await Promise.all(Array.from({ length: 8 }, visitor))
        return fresh.filter(({ server }) => server === 'server 0').length
      }, WHEN_REPORTED)
      .toBe(0)
    for (const { cookie } of old) {
      const answer = await send(`${gate.url}/who`, { headers: { Cookie: cookie } })
      expect([answer.status, answer.text]).toEqual([200, 'server 0'])
    }
  })

  it('refuses to drain the last server that takes new sessions', async ({ expect }) => {
    expect(await act('/routes/shop/servers/drain', { url: servers[1]!.url })).toBe(409)
    expect(await act('/routes/shop/servers/drain', { url: 'https://other.example.com' })).toBe(409)
    expect(await act('/routes/shop/servers/drain', { url: 'no address' })).toBe(400)
  })

  it('gives a drained server to another route, and its sessions move without an error', async ({
    expect,
  }) => {
    await act('/routes/shop/servers', { servers: servers.map(({ url }) => ({ url })) })
    await send(`${gate.url}/blog/who`)
    const visitors = await Promise.all(Array.from({ length: 30 }, visitor))
    const old = visitors.filter(({ server }) => server === 'server 2')
    const body = { url: servers[2]!.url, how: 'fixed', forS: 2, moveTo: 'blog' }
    expect(await act('/routes/shop/servers/drain', body)).toBe(204)
    const headers = { Authorization: `Bearer ${gate.adminToken}` }
    const blog = `${gate.url}/_tidegate/api/v1/routes/blog/servers`
    await expect
      .poll(async () => {
        for (const { cookie } of [...old, ...visitors.slice(0, 3)])
          expect((await send(`${gate.url}/who`, { headers: { Cookie: cookie } })).status).toBe(200)
        return (await send(blog, { headers })).text
      }, WHEN_REPORTED)
      .toContain(servers[2]!.url)
  })
})
