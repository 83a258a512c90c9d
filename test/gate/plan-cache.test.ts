import { describe, it } from 'vitest'
import { ColoPlanCache } from '../../src/gate/plan-cache.ts'
import { type Planned, planOf } from '../support/requests.ts'

/** The part of the Cache API that is used. */
class FakeCache {
  readonly kept = new Map<string, Response>()
  puts = 0

  async match(key: string): Promise<Response | undefined> {
    return this.kept.get(key)?.clone()
  }

  async put(key: string, response: Response): Promise<void> {
    this.puts++
    this.kept.set(key, response)
  }
}

const cacheOf = (cache: object): ColoPlanCache => new ColoPlanCache(cache as Cache)

const stored = (given: Planned = {}) => ({ plan: planOf(given), fairPart: 0.1 })

describe('the colo’s cache of plans', () => {
  it('returns the plan of its origin only', async ({ expect }) => {
    const cache = cacheOf(new FakeCache())
    await cache.offer(stored(), 0)
    expect(await cache.read('https://origin.example.com')).toEqual(stored())
    expect(await cache.read('https://other.example.com')).toBeNull()
  })

  it('is written at most every 5 s, and expires after a minute', async ({ expect }) => {
    const fake = new FakeCache()
    const cache = cacheOf(fake)
    for (let ms = 0; ms <= 10_000; ms += 1000) await cache.offer(stored({ seq: ms }), ms)
    expect(fake.puts).toBe(3)
    expect(await cache.read('https://origin.example.com')).toMatchObject({
      plan: { seq: 10_000 },
      fairPart: 0.1,
    })
    expect([...fake.kept.values()][0]!.headers.get('Cache-Control')).toBe('max-age=60')
  })

  it('stores the plans of several origins at the same time', async ({ expect }) => {
    const cache = cacheOf(new FakeCache())
    for (const origin of ['https://a.example.com', 'https://b.example.com'])
      await cache.offer({ ...stored(), plan: { ...planOf(), origin } }, 0)
    expect(await cache.read('https://b.example.com')).not.toBeNull()
  })

  it('ignores a plan of another version', async ({ expect }) => {
    const fake = new FakeCache()
    await cacheOf(fake).offer({ ...stored(), plan: { ...planOf(), version: 2 } as never }, 0)
    expect(await cacheOf(fake).read('https://origin.example.com')).toBeNull()
  })

  it('may fail to write without an error', async ({ expect }) => {
    const cache = cacheOf({ put: () => Promise.reject(new Error('full')) })
    await expect(cache.offer(stored(), 0)).resolves.toBeUndefined()
  })
})
