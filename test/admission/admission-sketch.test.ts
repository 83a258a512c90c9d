import fc from 'fast-check'
import { describe, it } from 'vitest'
import { exponential } from '../../lab/engine/distributions.ts'
import { streams } from '../../lab/engine/random.ts'
import {
  AdmissionSketch,
  type AdmissionSketchOptions,
} from '../../src/admission/admission-sketch.ts'
import { TokenBucket } from '../../src/admission/token-bucket.ts'
import { keyHashOf } from '../../src/lib/hash.ts'

const START = 1_000_000
const RULES = { maxShare: 0.1, minAdmissions: 5, seed: 7 }
const sketchOf = (options: Partial<AdmissionSketchOptions> = {}) =>
  new AdmissionSketch({ ...RULES, ...options }, START)

/** A class with a limit of 100 admissions/s. The sketch and a bucket decide on each arrival. */
function contest(
  sketch: AdmissionSketch | null,
  arrivals: (client: string) => number,
  clients: string[],
) {
  const admitted = new Map<string, number>()
  const overQuota = new Set<string>()
  const bucket = new TokenBucket(START, 10)
  bucket.set(100, 10, START)
  const total = clients.reduce((sum, client) => sum + arrivals(client), 0)
  const random = streams(1)
  const [clock, choice] = [random('arrivals'), random('clients')]
  const between = exponential({ mean: 1000 / total })
  const upTo: number[] = []
  for (const client of clients) upTo.push((upTo.at(-1) ?? 0) + arrivals(client))
  for (let nowMs = START; nowMs < START + 60_000; nowMs += between.draw(clock)) {
    const at = choice.next() * total
    const client = clients[upTo.findIndex((end) => at < end)]!
    const hash = keyHashOf(client, 7)
    if (sketch && !sketch.allows(hash, nowMs)) {
      overQuota.add(client)
      continue
    }
    if (!bucket.take(1, 0, nowMs)) continue
    sketch?.admit(hash, nowMs)
    admitted.set(client, (admitted.get(client) ?? 0) + 1)
  }
  const all = [...admitted.values()].reduce((sum, n) => sum + n, 0)
  return { all, overQuota, share: (client: string) => (admitted.get(client) ?? 0) / all }
}

const crowd = Array.from({ length: 500 }, (_, i) => `visitor ${i}`)
const withHog = [...crowd, 'hog']
const hogRate = (client: string) => (client === 'hog' ? 900 : 1)

describe('the share of one client within a class', () => {
  it('limits a client with 900 of 1400 requests/s to a tenth of the admissions; without it, 64 %', ({
    expect,
  }) => {
    expect(contest(null, hogRate, withHog).share('hog')).toBeGreaterThan(0.6)
    const fair = contest(sketchOf(), hogRate, withHog)
    expect(fair.share('hog')).toBeLessThan(0.105)
    // No capacity is lost: other clients use it.
    expect(fair.all).toBeGreaterThan(0.98 * 60 * 100)
  })

  it('refuses none of 5000 clients with the same rate', ({ expect }) => {
    const many = Array.from({ length: 5000 }, (_, i) => `visitor ${i}`)
    const { overQuota } = contest(sketchOf(), () => 0.1, many)
    expect(overQuota.size).toBe(0)
  })

  it('allows every client 5 admissions in a half-life, even the only client of the class', ({
    expect,
  }) => {
    const sketch = sketchOf()
    const verdicts = Array.from({ length: 8 }, () => {
      const allowed = sketch.allows(1, START)
      if (allowed) sketch.admit(1, START)
      return allowed
    })
    expect(verdicts.filter(Boolean)).toHaveLength(5)
  })

  it('decays: of 100 admissions 25 are left after two half-lives', ({ expect }) => {
    const allows = (maxShare: number) => {
      const sketch = sketchOf({ minAdmissions: 0, maxShare })
      for (let i = 0; i < 100; i++) sketch.admit(1, START)
      for (let i = 0; i < 75; i++) sketch.admit(2, START + 20_000)
      return sketch.allows(1, START + 20_000)
    }
    // 25 of 100, and the one that asks.
    expect([allows(0.26 - 1e-9), allows(0.26 + 1e-9)]).toEqual([false, true])
  })
})

describe('the sketch', () => {
  it('never counts too few admissions, even if 3000 other keys share its cells', ({ expect }) => {
    const OTHERS = 3000
    const waits = fc.array(fc.nat(3000), { minLength: 1, maxLength: 100 })
    fc.assert(
      fc.property(waits, fc.nat(), fc.nat(), (waitsMs, key, seed) => {
        const times = waitsMs.map((_, i) => START + waitsMs.slice(0, i + 1).reduce((a, b) => a + b))
        const nowMs = times.at(-1)!
        const count = times.reduce((sum, atMs) => sum + 2 ** ((atMs - nowMs) / 10_000), 0)
        const total = count + OTHERS * 2 ** ((START - nowMs) / 10_000)
        // It would allow one more if it counted any less.
        const maxShare = (count + 1 - 1e-6) / total
        const sketch = sketchOf({ minAdmissions: 0, maxShare, seed })
        for (let other = 1; other <= OTHERS; other++) sketch.admit(key ^ (other << 8), START)
        for (const atMs of times) sketch.admit(key, atMs)
        expect(sketch.allows(key, nowMs)).toBe(false)
      }),
    )
  })

  it('still works after a year with admissions once a day', ({ expect }) => {
    const allows = (maxShare: number) => {
      const sketch = sketchOf({ minAdmissions: 0, maxShare })
      for (let day = 0; day < 365; day++)
        for (let i = 0; i < 10; i++) sketch.admit(i, START + day * 86_400_000 + i)
      return sketch.allows(3, START + 364 * 86_400_000 + 9)
    }
    // 1 of 10, and the one that asks.
    expect([allows(0.1995), allows(0.2005)]).toEqual([false, true])
  })

  it('still works after the clock was set back by an hour', ({ expect }) => {
    const sketch = sketchOf()
    for (let i = 0; i < 50; i++) sketch.admit(1, START)
    const setBack = START - 3_600_000
    expect(sketch.allows(1, setBack)).toBe(false)
    expect(sketch.allows(1, setBack + 60_000)).toBe(true)
  })

  it('gives a key the same hash each time, and a different one with another seed', ({ expect }) => {
    expect(keyHashOf('203.0.113.7', 1)).toBe(keyHashOf('203.0.113.7', 1))
    expect(keyHashOf('203.0.113.7', 1)).not.toBe(keyHashOf('203.0.113.7', 2))
    expect(keyHashOf('203.0.113.7', 1)).not.toBe(keyHashOf('203.0.113.8', 1))
  })
})
