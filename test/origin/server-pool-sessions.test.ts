import fc from 'fast-check'
import { describe, it } from 'vitest'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { ServerPool } from '../../src/origin/server-pool.ts'
import { markOf } from '../../src/origin/session-home.ts'

const URLS = ['https://a.example.com', 'https://b.example.com', 'https://c.example.com']
const SERVERS = URLS.map((url) => ({ url, weight: 1 }))
const [A] = URLS as [string]

function poolWith(keys: object = {}): ServerPool {
  const base = { ...DEFAULTS.origin, name: 'pool', keepHeaders: [], healthCheck: null }
  return new ServerPool({ ...base, affinity: true, servers: SERVERS, ...keys })
}

/** Where 1000 evenly spread coins lead. */
function partOf(pool: ServerPool, url: string, nowMs: number): number {
  let hits = 0
  for (let i = 0; i < 1000; i++) if (pool.pick(() => i / 1000, nowMs) === url) hits++
  return hits / 1000
}

const drain = (how: 'fixed' | 'measured', sinceMs = 0, untilMs = 100_000) => ({
  servers: SERVERS.map((server) =>
    server.url === A ? { ...server, drain: { how, sinceMs, untilMs } } : server,
  ),
})

describe('session affinity', () => {
  it('sends a session to the server that it began at, whatever the coin', ({ expect }) => {
    const pool = poolWith()
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (coin) => {
        expect(pool.pick(() => coin, 0, { id: 'x', server: markOf(A) })).toBe(A)
      }),
    )
  })

  it('does not hold a session at a server that is down, or no longer in the pool', ({ expect }) => {
    const pool = poolWith()
    pool.follow({ down: [A] })
    expect(pool.pick(() => 0, 0, { id: 'x', server: markOf(A) })).not.toBe(A)
    expect(pool.pick(() => 0.5, 0, { id: 'x', server: 'gone' })).toMatch(/^https/)
  })
})

describe('a server that is drained (Urgaonkar et al. 2008, §6.1)', () => {
  it('gets no new session from the next decision on', ({ expect }) => {
    const pool = poolWith()
    pool.follow(drain('measured'))
    expect(partOf(pool, A, 0)).toBe(0)
  })

  it('keeps its sessions until the deadline, where the ramp-down is measured', ({ expect }) => {
    const pool = poolWith()
    pool.follow(drain('measured'))
    const session = { id: 'x', server: markOf(A) }
    expect(pool.pick(() => 0.5, 99_999, session)).toBe(A)
    expect(pool.pick(() => 0.5, 100_000, session)).not.toBe(A)
  })

  it('loses its sessions at a fixed rate: a quarter after a quarter of the time', ({ expect }) => {
    const pool = poolWith()
    pool.follow(drain('fixed'))
    for (const part of [0.25, 0.5, 0.9]) {
      const stay = Array.from({ length: 2000 }, (_, i) => ({ id: `s${i}`, server: markOf(A) }))
        .map((session) => pool.pick(() => 0.5, part * 100_000, session))
        .filter((url) => url === A).length
      // 2000 coins with probability p differ from 2000 p by less than 5 %, 4 sigma.
      expect(Math.abs(stay / 2000 - (1 - part))).toBeLessThan(0.05)
    }
  })

  it('never takes a session back that has moved away', ({ expect }) => {
    const pool = poolWith()
    pool.follow(drain('fixed'))
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 0, max: 99_999 }),
        fc.nat(50_000),
        (id, ms, more) => {
          const at = (nowMs: number) => pool.pick(() => 0.5, nowMs, { id, server: markOf(A) }) === A
          if (!at(ms)) expect(at(ms + more)).toBe(false)
        },
      ),
    )
  })
})

describe('slow start', () => {
  it('gives a new server a tenth of its weight, and all of it after 10 s', ({ expect }) => {
    const pool = poolWith()
    pool.follow({ rising: { [A]: 0 } })
    // 0.1 of 2.1, 0.5 of 2.5, 1 of 3.
    expect(partOf(pool, A, 0)).toBeCloseTo(0.1 / 2.1, 2)
    expect(partOf(pool, A, 5000)).toBeCloseTo(0.5 / 2.5, 2)
    expect(partOf(pool, A, 10_000)).toBeCloseTo(1 / 3, 2)
  })

  it('can be switched off', ({ expect }) => {
    const pool = poolWith({ slowStartMs: 0 })
    pool.follow({ rising: { [A]: 0 } })
    expect(partOf(pool, A, 0)).toBeCloseTo(1 / 3, 2)
  })
})

describe('health checks by configuration', () => {
  it('are made by all isolates together once in `everyMs`', ({ expect }) => {
    const pool = poolWith({ healthCheck: { path: '/healthz', everyMs: 10_000 } })
    let checks = 0
    for (let ms = 0; ms < 1_000_000; ms += 1000)
      if (pool.takeProbes(1_000_000 + ms, 0.1).length === 3) checks++
    // A tenth of the traffic: one check in 100 s.
    expect(checks).toBe(10)
  })
})
