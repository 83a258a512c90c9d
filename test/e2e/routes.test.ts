import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { type Answer, send } from '../support/e2e/client.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let shop: ScriptedOrigin
let blog: ScriptedOrigin
let gate: LocalGate

beforeAll(async () => {
  shop = await ScriptedOrigin.start()
  blog = await ScriptedOrigin.start()
  const routes = [
    { name: 'shop', match: 'shop.example/*', origin: shop.url },
    { name: 'blogs', match: '*.blog.example/*', origin: blog.url },
    { name: 'news', match: '/news/*', origin: blog.url },
    { name: 'buy', match: '/items/*/buy', origin: shop.url },
  ]
  gate = await startLocalGate({ config: { routes }, port: 0 })
})

afterAll(async () => {
  await gate?.close()
  await shop.close()
  await blog.close()
})

function ask(address: string, headers: Record<string, string> = {}): Promise<Answer> {
  const slash = address.indexOf('/')
  const Host = address.slice(0, slash) || 'any.example'
  return send(`${gate.url}${address.slice(slash)}`, { headers: { Host, ...headers } })
}

const routeOf = ({ headers }: Answer): string | undefined =>
  headers['set-cookie']?.[0]?.match(/^tidegate-(\w+)=/)?.[1]

describe('Routes are found by host and path', () => {
  it.for([
    ['shop.example/', 'shop'],
    ['SHOP.example:8787/deep/er?x=1', 'shop'],
    ['a.blog.example/', 'blogs'],
    ['a.b.blog.example/x', 'blogs'],
    ['/news/today', 'news'],
    ['/news', 'news'],
    ['/items/7/buy', 'buy'],
    ['shop.example/news/today', 'shop'],
  ] as const)('%s goes to %s', async ([address, route], { expect }) => {
    const answer = await ask(address)
    expect(answer.status).toBe(200)
    expect(routeOf(answer)).toBe(route)
  })

  it.for([
    '/',
    '/newsletter',
    '/items/7/8/buy',
    '/items/7/buy/now',
    'blog.example/',
    'evilblog.example/',
    'shop.example.evil/',
  ])('%s matches no route and gets a 404', async (address, { expect }) => {
    const answer = await ask(address)
    expect(answer.status).toBe(404)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(JSON.parse(answer.text)).toEqual({
      type: 'about:blank',
      title: 'Not found',
      status: 404,
      detail: 'There is nothing at this address.',
    })
  })

  it('a browser gets the 404 as a page', async ({ expect }) => {
    const { status, headers, text } = await ask('/', { Accept: 'text/html' })
    expect(status).toBe(404)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).toContain('<h1>Not found</h1>')
  })
})

describe('The admin paths', () => {
  const authorized = (token: string) => ({ Authorization: `Bearer ${token}` })

  it('answer 401 without the token, whether the path exists or not', async ({ expect }) => {
    const addresses = [
      ...['/_tidegate/api/v1/routes', '/_tidegate/nothing/there'],
      ...['/_tidegate/report', '/%5ftidegate/api/routes'],
      ...['shop.example/_tidegate/api/v1/routes', 'shop.example/x/../_tidegate/api'],
    ]
    for (const address of addresses)
      for (const headers of [{}, authorized('wrong'), { Authorization: gate.adminToken }]) {
        const answer = await ask(address, headers)
        expect(answer.status, address).toBe(401)
        expect(answer.text).toBe('{"type":"about:blank","title":"Unauthorized","status":401}')
        expect(answer.headers['cache-control']).toBe('no-store')
      }
  })

  it('show every route with the token', async ({ expect }) => {
    const answer = await ask('/_tidegate/api/v1/routes', authorized(gate.adminToken))
    const { routes } = JSON.parse(answer.text) as { routes: { name: string }[] }
    expect(routes.map(({ name }) => name)).toEqual(['shop', 'blogs', 'news', 'buy'])
  })

  it('never go to an origin, in any spelling', async ({ expect }) => {
    const address = 'shop.example//_tidegate/api/v1/routes'
    expect((await ask(address)).status).toBeOneOf([401, 404])
    expect(shop.seen('//_tidegate/api/v1/routes')).toEqual([])
  })
})
