import { afterAll, beforeAll, describe, it } from 'vitest'
import { REWRITING_HEADERS } from '../../src/config/config.ts'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { send } from '../support/e2e/client.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let origin: ScriptedOrigin
/** Takes the address from a header of a proxy. */
let behindProxy: LocalGate
/** Has no source for the address. */
let direct: LocalGate

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const bypass = [{ ip: '10.0.0.0/8' }]
  const shared = { verdictHeader: true, learner: 'fixed', bypass }
  const open = { url: origin.url, name: 'open', keepHeaders: ['Forwarded'], purge: true }
  const routes = [
    { ...shared, name: 'open', match: '/open/*', origin: open },
    { ...shared, name: 'site', match: '/*', origin: origin.url },
  ]
  const start = (clientIp: unknown) => startLocalGate({ config: { clientIp, routes }, port: 0 })
  behindProxy = await start({ header: 'X-Real-IP' })
  direct = await start('none')
})

afterAll(async () => {
  await behindProxy?.close()
  await direct?.close()
  await origin.close()
})

const CLAIMS = { 'CF-Connecting-IP': '10.1.2.3', 'X-Forwarded-For': '10.1.2.3' }

describe("The client's address", () => {
  it('is that of the configured header, and of no other', async ({ expect }) => {
    const answer = await send(`${behindProxy.url}/ip`, {
      headers: { ...CLAIMS, 'X-Real-IP': '192.0.2.7' },
    })
    expect(answer.headers['tidegate-verdict']).not.toContain('bypass')
    expect(origin.seen('/ip')[0]!.headers['x-forwarded-for']).toBe('192.0.2.7')
    const inside = await send(`${behindProxy.url}/ip`, { headers: { 'X-Real-IP': '10.1.2.3' } })
    expect(inside.headers['tidegate-verdict']).toMatch(/^admit; reason=bypass;/)
  })

  it('is the last one where the proxy appends to what the client sent', async ({ expect }) => {
    await send(`${behindProxy.url}/last`, { headers: { 'X-Real-IP': '10.1.2.3, 192.0.2.7' } })
    expect(origin.seen('/last')[0]!.headers['x-forwarded-for']).toBe('192.0.2.7')
  })

  it('is unknown without a source, and cannot be forged', async ({ expect }) => {
    const headers = { ...CLAIMS, 'X-Real-IP': '10.1.2.3' }
    const answer = await send(`${direct.url}/unknown`, { headers })
    expect(answer.headers['tidegate-verdict']).not.toContain('bypass')
    expect(origin.seen('/unknown')[0]!.headers).not.toHaveProperty('x-forwarded-for')
  })
})

describe('The headers of a client', () => {
  const all = Object.fromEntries(REWRITING_HEADERS.map((name) => [name, '/search/x']))
  const rewriting = (path: string) =>
    REWRITING_HEADERS.filter((name) => name.toLowerCase() in origin.seen(path)[0]!.headers)

  it('do not rewrite or re-route at the origin', async ({ expect }) => {
    await send(`${direct.url}/rewriting`, { headers: all })
    expect(rewriting('/rewriting')).toEqual([])
  })

  it('do so only where the configuration keeps them', async ({ expect }) => {
    await send(`${direct.url}/open/rewriting`, { headers: all })
    expect(rewriting('/open/rewriting')).toEqual(['Forwarded'])
  })

  it('show the host in lower case without the final dot', async ({ expect }) => {
    await send(`${direct.url}/host`, { headers: { Host: 'SHOP.Example.' } })
    expect(origin.seen('/host')[0]!.headers['x-forwarded-host']).toBe('shop.example')
  })

  it('cannot be stripped by Connection', async ({ expect }) => {
    const sent = { 'x-vouched': '1', authorization: 'Basic eA==', cookie: 'a=b' }
    const Connection = `close, ${Object.keys(sent).join(', ')}, X-Forwarded-Host`
    await send(`${direct.url}/strip`, { headers: { ...sent, Connection } })
    expect(origin.seen('/strip')[0]!.headers).toMatchObject({
      ...sent,
      'x-forwarded-host': new URL(direct.url).host,
    })
  })
})

describe('The method', () => {
  it('TRACE is refused', async ({ expect }) => {
    for (const path of ['/trace', '/open/trace']) {
      const answer = await send(`${direct.url}${path}`, { method: 'TRACE' })
      expect(answer.status).toBe(405)
      expect(answer.headers.allow).toContain('GET')
      expect(origin.seen(path)).toEqual([])
    }
  })

  it('PURGE is forwarded only where it is configured', async ({ expect }) => {
    expect((await send(`${direct.url}/purge`, { method: 'PURGE' })).status).toBe(405)
    expect(origin.seen('/purge')).toEqual([])
    expect((await send(`${direct.url}/open/purge`, { method: 'PURGE' })).status).toBe(200)
    expect(origin.seen('/open/purge')[0]!.method).toBe('PURGE')
  })
})
