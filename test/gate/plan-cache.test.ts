import { describe, it } from 'vitest'
import { ColoPlanCache } from '../../src/gate/plan-cache.ts'
import { planOf } from '../support/requests.ts'

/** As much of the Cache API as is used. */
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

describe('the colo’s cache of plans', () => {
  it('gives back the plan of an origin, and none of another', async ({ expect }) => {
    const cache = cacheOf(new FakeCache())
    await cache.offer(planOf(), 0)
    expect(await cache.read('https://origin.example.com')).toEqual(planOf())
    expect(await cache.read('https://other.example.com')).toBeNull()
  })

  it('is written at most every 5 s, and kept for a minute', async ({ expect }) => {
    const fake = new FakeCache()
    const cache = cacheOf(fake)
    for (let ms = 0; ms <= 10_000; ms += 1000) await cache.offer(planOf({ seq: ms }), ms)
    expect(fake.puts).toBe(3)
    expect(await cache.read('https://origin.example.com')).toMatchObject({ seq: 10_000 })
    expect([...fake.kept.values()][0]!.headers.get('Cache-Control')).toBe('max-age=60')
  })

  it('has room for every origin in the same moment', async ({ expect }) => {
    const cache = cacheOf(new FakeCache())
    for (const origin of ['https://a.example.com', 'https://b.example.com'])
      await cache.offer({ ...planOf(), origin }, 0)
    expect(await cache.read('https://b.example.com')).not.toBeNull()
  })

  it('leaves a plan of another version aside', async ({ expect }) => {
    const fake = new FakeCache()
    await cacheOf(fake).offer({ ...planOf(), version: 2 } as never, 0)
    expect(await cacheOf(fake).read('https://origin.example.com')).toBeNull()
  })

  it('does no harm when it cannot be written', async ({ expect }) => {
    const cache = cacheOf({ put: () => Promise.reject(new Error('full')) })
    await expect(cache.offer(planOf(), 0)).resolves.toBeUndefined()
  })
})
