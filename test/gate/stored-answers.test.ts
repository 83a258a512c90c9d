import { describe, it } from 'vitest'
import { StoredAnswers } from '../../src/gate/stored-answers.ts'
import { type Asked, viewOf } from '../support/requests.ts'

const NOW = 1_800_000_000_000
const MAX_AGE_MS = 60_000

/** The cache of a data centre, as far as stored answers use it. */
class FakeCache {
  readonly #stored = new Map<string, () => Response>()

  async put(key: string, response: Response): Promise<void> {
    const { status, headers } = response
    const text = await response.text()
    this.#stored.set(key, () => new Response(text, { status, headers }))
  }

  async match(key: string): Promise<Response | undefined> {
    return this.#stored.get(key)?.()
  }
}

function storeOf(route = 'shop', cache = new FakeCache()) {
  const answers = new StoredAnswers(route, MAX_AGE_MS, () => cache as unknown as Cache)
  const keep = async (
    headers: Record<string, string>,
    asked: Asked = {},
    url = '/page',
    status = 200,
  ): Promise<boolean> => {
    const all = { 'Cache-Control': 'public, max-age=60', 'Content-Length': '4', ...headers }
    const work = answers.keep(
      viewOf(url, asked),
      new Response('page', { status, headers: all }),
      NOW,
    )
    await work
    return work !== null
  }
  const find = (asked: Asked = {}, url = '/page', afterMs = 1000) =>
    answers.find(viewOf(url, asked), NOW + afterMs)
  return { cache, keep, find }
}

describe('an answer of the origin', () => {
  it('is stored if any shared cache could, and given with its age and a marker', async ({
    expect,
  }) => {
    const { keep, find } = storeOf()
    expect(await keep({ Vary: 'Accept-Encoding' })).toBe(true)
    const found = await find({}, '/page', 2500)
    expect(await found!.text()).toBe('page')
    expect(found!.headers.get('Age')).toBe('2')
    expect(found!.headers.get('Cache-Status')).toBe('tidegate; hit; detail=degraded')
    expect(found!.headers.get('Cache-Control')).toBe('no-store')
  })

  it.for([
    [{ Vary: 'Accept-Language' }, 'varies'],
    [{ Vary: 'Accept-Encoding, Cookie' }, 'varies by one of two headers'],
    [{ Vary: '*' }, 'varies by anything'],
    [{ 'Set-Cookie': 'cart=1' }, 'sets a cookie'],
    [{ 'Cache-Control': 'private, max-age=60' }, 'is for one visitor'],
    [{ 'Cache-Control': 'public, no-store' }, 'must not be stored'],
    [{ 'Cache-Control': 'public, no-cache' }, 'must be asked for again'],
    [{ 'Cache-Control': 'max-age=0' }, 'is old at once'],
    [{ 'Cache-Control': '' }, 'does not say that it may be stored'],
    [{ 'Content-Length': '2000000' }, 'is too large'],
  ] as const)('is not stored if it has %j: it %s', async ([headers], { expect }) => {
    const { keep, find } = storeOf()
    expect(await keep(headers)).toBe(false)
    expect(await find()).toBeNull()
  })

  it.for([
    [{ headers: { Cookie: 'account=ann' } }, 'a cookie of the site'],
    [{ headers: { Authorization: 'Basic YTpi' } }, 'a password'],
    [{ headers: { Range: 'bytes=0-1' } }, 'a range'],
    [{ method: 'POST' }, 'another method'],
  ] as const)(
    'is neither stored for nor given to a request with %j: %s',
    async ([asked], { expect }) => {
      const { keep, find } = storeOf()
      expect(await keep({}, asked)).toBe(false)
      expect(await keep({})).toBe(true)
      expect(await find(asked)).toBeNull()
      expect(await find({ headers: { Cookie: 'tidegate-shop=1.a.b' } })).not.toBeNull()
    },
  )

  it('is not given for another host, scheme, address or route', async ({ expect }) => {
    const { keep, find, cache } = storeOf()
    await keep({}, {}, 'https://shop.example.com/page?a=1')
    for (const url of [
      'https://other.example.com/page?a=1',
      'https://shop.example.com:8443/page?a=1',
      'http://shop.example.com/page?a=1',
      'https://shop.example.com/page?a=2',
      'https://shop.example.com/page',
    ])
      expect(await find({}, url), url).toBeNull()
    expect(await storeOf('api', cache).find({}, 'https://shop.example.com/page?a=1')).toBeNull()
    expect(await find({}, 'https://shop.example.com/page?a=1')).not.toBeNull()
  })

  it('is not given when it is too old, of another status, or in a coding that was not asked for', async ({
    expect,
  }) => {
    const { keep, find } = storeOf()
    expect(await keep({}, {}, '/gone', 404)).toBe(false)
    await keep({ 'Content-Encoding': 'br' })
    expect(await find()).toBeNull()
    const coded = { headers: { 'Accept-Encoding': 'gzip, br' } }
    expect(await find(coded)).not.toBeNull()
    expect(await find(coded, '/page', MAX_AGE_MS + 1)).toBeNull()
  })

  it('is stored anew every 5 s, from the traffic that is admitted', async ({ expect }) => {
    const cache = new FakeCache()
    const answers = new StoredAnswers('shop', MAX_AGE_MS, () => cache as unknown as Cache)
    const stored = [0, 1000, 4999, 5000].map((afterMs) => {
      const headers = { 'Cache-Control': 'public', 'Content-Length': '4' }
      const work = answers.keep(viewOf('/'), new Response('page', { headers }), NOW + afterMs)
      return work !== null
    })
    expect(stored).toEqual([true, false, false, true])
  })
})
