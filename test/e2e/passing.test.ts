import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { POLL_HEADER } from '../../src/gate/waiting/waiting-response.ts'
import { TIDEGATE_HEADERS } from '../../src/origin/forwarded-headers.ts'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { cookiesOf, send } from '../support/e2e/client.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let origin: ScriptedOrigin
let gate: LocalGate

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  const routes = [
    { name: 'unwatched', match: '/off/*', mode: 'off' },
    { name: 'site', match: '/*' },
  ].map((route) => ({ ...route, origin: origin.url, learner: 'fixed' }))
  gate = await startLocalGate({ config: { routes }, port: 0 })
})

afterAll(async () => {
  await gate?.close()
  await origin.close()
})

describe("The origin's answer passes unchanged", () => {
  it('to HEAD: all headers, the length of the body, and no body', async ({ expect }) => {
    origin.on('/head', ({ response }) => {
      response.writeHead(200, { 'Content-Length': 1234, ETag: '"a"' }).end()
    })
    const answer = await send(`${gate.url}/head`, { method: 'HEAD' })
    expect(origin.seen('/head')[0]!.method).toBe('HEAD')
    expect(answer.headers).toMatchObject({ 'content-length': '1234', etag: '"a"' })
    expect(answer.body.length).toBe(0)
  })

  it('to a range: 206 with Content-Range and Content-Length', async ({ expect }) => {
    origin.on('/range', ({ response }) => {
      const headers = { 'Content-Range': 'bytes 2-4/10', 'Content-Length': 3 }
      response.writeHead(206, headers).end('234')
    })
    const answer = await send(`${gate.url}/range`, { headers: { Range: 'bytes=2-4' } })
    expect(origin.seen('/range')[0]!.headers.range).toBe('bytes=2-4')
    expect(answer).toMatchObject({ status: 206, text: '234' })
    expect(answer.headers).toMatchObject({
      'content-range': 'bytes 2-4/10',
      'content-length': '3',
    })
  })

  it.for([301, 302, 303, 307, 308])(
    'a redirect (%i) is not followed',
    async (status, { expect }) => {
      const path = `/redirect/${status}`
      origin.on(path, ({ response }) => response.writeHead(status, { Location: '/there' }).end())
      const answer = await send(`${gate.url}${path}`)
      expect(answer).toMatchObject({ status, headers: { location: '/there' } })
      expect(origin.seen('/there')).toEqual([])
    },
  )

  it('a 304 keeps its ETag and has no body', async ({ expect }) => {
    origin.on('/fresh', ({ response }) => response.writeHead(304, { ETag: '"a"' }).end())
    const answer = await send(`${gate.url}/fresh`, { headers: { 'If-None-Match': '"a"' } })
    expect(answer).toMatchObject({ status: 304, headers: { etag: '"a"' } })
  })

  it.for(['/packed', '/off/packed'])(
    'a gzip body passes byte for byte, on %s',
    async (path, { expect }) => {
      // With level 1 the bytes differ from those that the runtime would make by compressing again.
      const packed = gzipSync('tide '.repeat(10_000), { level: 1 })
      origin.on(path, ({ response }) => {
        const headers = { 'Content-Encoding': 'gzip', 'Content-Length': packed.length }
        response.writeHead(200, headers).end(packed)
      })
      // More than are watched to their last byte in one second.
      const headers = { 'Accept-Encoding': 'gzip' }
      const asked = Array.from({ length: 25 }, () => send(`${gate.url}${path}`, { headers }))
      for (const answer of await Promise.all(asked)) {
        expect(answer.headers).toMatchObject({
          'content-encoding': 'gzip',
          'content-length': String(packed.length),
        })
        expect(answer.body.equals(packed)).toBe(true)
      }
    },
  )

  it('a gzip body of unknown length is still gzip', async ({ expect }) => {
    origin.on('/packed-stream', ({ response }) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('tide'))
    })
    const answer = await send(`${gate.url}/packed-stream`)
    expect(gunzipSync(answer.body).toString()).toBe('tide')
  })

  it("all of the origin's cookies, in addition to the gate's own", async ({ expect }) => {
    origin.on('/cookies', ({ response }) => {
      response.writeHead(200, { 'Set-Cookie': ['a=1; Path=/', 'b=2'] }).end()
    })
    const answer = await send(`${gate.url}/cookies`)
    expect(answer.headers['set-cookie']).toEqual([
      'a=1; Path=/',
      'b=2',
      expect.stringMatching(/^tidegate-site=/),
    ])
  })

  it('a status above 599 becomes a 502', async ({ expect }) => {
    origin.on('/odd', ({ response }) => response.writeHead(999).end())
    expect((await send(`${gate.url}/odd`)).status).toBe(502)
  })

  it('without hop-by-hop headers of the origin', async ({ expect }) => {
    origin.on('/hops', ({ response }) => {
      response.writeHead(200, {
        Connection: 'keep-alive, X-Hop',
        'Keep-Alive': 'timeout=77',
        'X-Hop': '1',
        'Proxy-Authenticate': 'Basic',
        'Proxy-Connection': 'keep-alive',
        'X-End': '1',
      })
      response.end()
    })
    const { headers } = await send(`${gate.url}/hops`)
    expect(headers['x-end']).toBe('1')
    for (const name of ['connection', 'keep-alive']) expect(headers, name).not.toHaveProperty(name)
    // `Connection` cannot remove headers that are for the client.
    expect(headers['x-hop']).toBe('1')
  })
})

describe('The origin gets', () => {
  it('X-Forwarded-For, -Proto and -Host of the client, and its own Host', async ({ expect }) => {
    await send(`${gate.url}/who?x=%20y`, {
      headers: {
        Host: 'shop.example',
        'CF-Connecting-IP': '192.0.2.1',
        'X-Forwarded-Host': 'forged.example',
        'X-Forwarded-Proto': 'https',
      },
    })
    const [request] = origin.seen('/who')
    expect(request!.url).toBe('/who?x=%20y')
    expect(request!.headers).toMatchObject({
      host: new URL(origin.url).host,
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-host': 'shop.example',
      'x-forwarded-proto': 'http',
    })
  })

  it('the address that Cloudflare vouches for, and not the list of the client', async ({
    expect,
  }) => {
    await send(`${gate.url}/chain`, {
      headers: { 'CF-Connecting-IP': '192.0.2.1', 'X-Forwarded-For': '198.51.100.7' },
    })
    expect(origin.seen('/chain')[0]!.headers['x-forwarded-for']).toBe('192.0.2.1')
  })

  it('no hop-by-hop headers of the client, and no headers of Tidegate itself', async ({
    expect,
  }) => {
    await send(`${gate.url}/clean`, {
      headers: {
        Connection: 'keep-alive, X-Hop',
        'X-Hop': '1',
        'Keep-Alive': '5',
        TE: 'trailers',
        'Proxy-Authorization': 'Basic eA==',
        'Proxy-Connection': 'keep-alive',
        Upgrade: 'h2c',
        // The gate itself answers the question of a waiting page.
        ...Object.fromEntries(
          TIDEGATE_HEADERS.filter((name) => name !== POLL_HEADER).map((name) => [name, '1']),
        ),
        'X-End': '1',
      },
    })
    const { headers } = origin.seen('/clean')[0]!
    expect(headers['x-end']).toBe('1')
    for (const name of [
      ...['connection', 'keep-alive', 'te', 'upgrade', 'proxy-authorization', 'proxy-connection'],
      ...TIDEGATE_HEADERS.map((name) => name.toLowerCase()),
    ])
      expect(headers, name).not.toHaveProperty(name)
    // `Connection` cannot remove headers that are for the origin.
    expect(headers['x-hop']).toBe('1')
  })

  it("the client's own cookies and credentials", async ({ expect }) => {
    await send(`${gate.url}/mine`, { headers: { Cookie: 'cart=7', Authorization: 'Basic eA==' } })
    expect(origin.seen('/mine')[0]!.headers).toMatchObject({
      cookie: 'cart=7',
      authorization: 'Basic eA==',
    })
  })
})

describe('The headers of one client', () => {
  it('never go with the request of another, however many come at once', async ({ expect }) => {
    const asked = Array.from({ length: 40 }, (_, i) => ({
      path: `/apart/${i}`,
      headers: {
        'CF-Connecting-IP': `192.0.2.${i}`,
        'X-Same': 'same',
        ...(i % 2 === 0 ? { Cookie: `cart=${i}` } : { Authorization: `Basic ${i}` }),
        ...(i % 3 === 0 ? { [`X-Only-${i}`]: '1' } : {}),
      },
    }))
    await Promise.all(asked.map(({ path, headers }) => send(`${gate.url}${path}`, { headers })))
    for (const [i, { path }] of asked.entries()) {
      const { headers } = origin.seen(path)[0]!
      expect(headers['x-forwarded-for']).toBe(`192.0.2.${i}`)
      expect(headers['x-same']).toBe('same')
      expect(headers.cookie).toBe(i % 2 === 0 ? `cart=${i}` : undefined)
      expect(headers.authorization).toBe(i % 2 === 0 ? undefined : `Basic ${i}`)
      const only = Object.keys(headers).filter((name) => name.startsWith('x-only'))
      expect(only).toEqual(i % 3 === 0 ? [`x-only-${i}`] : [])
    }
  })

  it('arrive byte by byte, even if they are not UTF-8', async ({ expect }) => {
    const latin1 = 'caf\u00e9'
    for (const path of ['/bytes/1', '/bytes/2'])
      await send(`${gate.url}${path}`, { headers: { 'X-Name': latin1 } })
    for (const path of ['/bytes/1', '/bytes/2'])
      expect(origin.seen(path)[0]!.headers['x-name']).toBe(latin1)
  })
})

describe("An answer that sets the session's cookie", () => {
  it.for([
    ['public, max-age=600, s-maxage=900', 'private, max-age=600'],
    ['PUBLIC', 'private'],
    ['private="Set-Cookie, X-Id", max-age=5', 'private, max-age=5'],
    ['no-store', 'private, no-store'],
    [undefined, 'private'],
  ] as const)('is never cacheable by shared caches: %s', async ([given, kept], { expect }) => {
    origin.on('/cacheable', ({ response }) => {
      if (given !== undefined) response.setHeader('Cache-Control', given)
      response.setHeader('CDN-Cache-Control', 'max-age=900')
      response.setHeader('Surrogate-Control', 'max-age=900')
      response.end()
    })
    const { headers } = await send(`${gate.url}/cacheable`)
    expect(headers['set-cookie']?.[0]).toMatch(/^tidegate-site=.*; HttpOnly; SameSite=Lax$/)
    expect(headers['cache-control']).toBe(kept)
    expect(headers).not.toHaveProperty('cdn-cache-control')
    expect(headers).not.toHaveProperty('surrogate-control')
  })

  it('is the first one of a session: later ones are unchanged', async ({ expect }) => {
    const cacheControl = 'public, max-age=600, s-maxage=900'
    origin.on('/later', ({ response }) => {
      response.writeHead(200, { 'Cache-Control': cacheControl }).end()
    })
    const Cookie = cookiesOf(await send(`${gate.url}/later`))
    const { headers } = await send(`${gate.url}/later`, { headers: { Cookie } })
    expect(headers).not.toHaveProperty('set-cookie')
    expect(headers['cache-control']).toBe(cacheControl)
  })
})
