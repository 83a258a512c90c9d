import { describe, it } from 'vitest'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { ServerPool } from '../../src/origin/server-pool.ts'

const POOL = {
  ...DEFAULTS.origin,
  name: 'pool',
  timeoutMs: 1000,
  keepHeaders: [],
  healthCheck: null,
}

const poolOf = (...weights: number[]): ServerPool =>
  new ServerPool({
    ...POOL,
    servers: weights.map((weight, i) => ({ url: `https://${i}.example.com/`, weight })),
  })

const url = (i: number): string => `https://${i}.example.com`

/** How many of 1000 evenly spread random numbers pick each of three servers. */
function shares(pick: (coin: number) => string | null): readonly number[] {
  const picks = Array.from({ length: 1000 }, (_, i) => pick(i / 1000))
  return [0, 1, 2].map((i) => picks.filter((picked) => picked === url(i)).length)
}

describe('a pool', () => {
  it('picks its servers in proportion to their weights: 1 : 3', ({ expect }) => {
    const pool = poolOf(1, 3)
    expect(shares((coin) => pool.pick(() => coin, 0))).toEqual([250, 750, 0])
  })

  it('always picks a server, for any random number', ({ expect }) => {
    for (const coin of [0, 0.999_999_999, 1])
      expect(poolOf(0.1, 0.2).pick(() => coin, 0)).toMatch(/^https/)
  })

  it('gives addresses without a slash at the end, because the path starts with one', ({
    expect,
  }) => {
    expect(poolOf(1).pick(() => 0.5, 0)).toBe('https://0.example.com')
  })

  it('has counters for its servers, unless it has only one', ({ expect }) => {
    expect(poolOf(1).counters).toBeNull()
    const { counters } = poolOf(1, 1)
    expect(counters!.drain()).toBeNull()
    counters!.answered(url(0))
    counters!.failed(url(1))
    counters!.failed(url(0))
    expect(counters!.drain()).toEqual({
      [url(0)]: { tries: 2, failures: 1 },
      [url(1)]: { tries: 1, failures: 1 },
    })
    expect(counters!.drain()).toBeNull()
  })
})

describe('servers that are down in the plan', () => {
  it('are left out, and the others keep their proportion: 1 : 4 without the 5', ({ expect }) => {
    const pool = poolOf(1, 5, 4)
    pool.follow({ down: [url(1)] })
    expect(pool.hasDown).toBe(true)
    expect(shares((coin) => pool.pick(() => coin, 0))).toEqual([200, 0, 800])
  })

  it('are used again with the first plan that does not name them', ({ expect }) => {
    const pool = poolOf(1, 1)
    pool.follow({ down: [url(1)] })
    pool.follow({})
    expect(pool.hasDown).toBe(false)
    expect(shares((coin) => pool.pick(() => coin, 0))).toEqual([500, 500, 0])
  })

  it('are ignored if they are all servers of the pool, or none of them', ({ expect }) => {
    const pool = poolOf(1, 1)
    for (const down of [[url(0), url(1)], [url(7)], []]) {
      pool.follow({ down })
      expect(pool.hasDown).toBe(false)
      expect(shares((coin) => pool.pick(() => coin, 0))).toEqual([500, 500, 0])
    }
  })

  it('may be probed once in 5 s each, whatever plans come meanwhile', ({ expect }) => {
    const pool = poolOf(1, 1, 1)
    expect(pool.takeProbes(1_000_000)).toEqual([])
    pool.follow({ down: [url(1)] })
    expect(pool.takeProbes(1_000_000)).toEqual([url(1)])
    pool.follow({ down: [url(1), url(2)] })
    expect(pool.takeProbes(1_002_000)).toEqual([url(2)])
    expect(pool.takeProbes(1_004_999)).toEqual([])
    expect(pool.takeProbes(1_005_000)).toEqual([url(1)])
    expect(pool.takeProbes(1_007_000)).toEqual([url(2)])
    pool.follow({ down: [url(2)] })
    expect(pool.takeProbes(1_012_000)).toEqual([url(2)])
  })
})

describe('another server instead of one that was not reached', () => {
  it('is one of the others that are up, by their weights', ({ expect }) => {
    const pool = poolOf(1, 5, 4)
    expect(shares((coin) => pool.pickAnother(url(1), coin))).toEqual([200, 0, 800])
    pool.follow({ down: [url(2)] })
    expect(shares((coin) => pool.pickAnother(url(1), coin))).toEqual([1000, 0, 0])
  })

  it('is one that is down if no other is up, and null if there is no other', ({ expect }) => {
    const pool = poolOf(1, 1)
    pool.follow({ down: [url(0)] })
    expect(pool.pickAnother(url(1), 0.5)).toBe(url(0))
    expect(poolOf(1).pickAnother(url(0), 0.5)).toBeNull()
  })

  it('follows the servers of the plan, and returns to the configured ones', ({ expect }) => {
    const configured = ['http://a', 'http://b'].map((url) => ({ url, weight: 1 }))
    const pool = new ServerPool({
      ...POOL,
      servers: configured,
    })
    const picked = () => new Set(Array.from({ length: 60 }, (_, i) => pool.pick(() => i / 60, 0)))
    pool.follow({
      down: [],
      servers: ['http://b', 'http://c', 'http://d'].map((url) => ({ url, weight: 1 })),
    })
    expect(picked()).toEqual(new Set(['http://b', 'http://c', 'http://d']))
    pool.follow({
      down: ['http://c'],
      servers: ['http://b', 'http://c'].map((url) => ({ url, weight: 1 })),
    })
    expect(picked()).toEqual(new Set(['http://b']))
    pool.follow({ servers: [{ url: 'http://d', weight: 1 }] })
    expect(picked()).toEqual(new Set(['http://d']))
    expect(pool.counters).toBeNull()
    pool.follow({})
    expect(picked()).toEqual(new Set(['http://a', 'http://b']))
  })
})
