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
const fairnessOf = (options: Partial<AdmissionSketchOptions> = {}) =>
  new AdmissionSketch({ seed: 7, ...options }, START)

/**
 * A class that may have 100 admissions a second; each arrival is judged by fairness and by the
 * room.
 */
function contest(
  fairness: AdmissionSketch | null,
  arrivals: (client: string) => number,
  clients: string[],
) {
  const admitted = new Map<string, number>()
  const refusedAsUnfair = new Set<string>()
  const room = new TokenBucket(START, 10)
  room.set(100, 10, START)
  const total = clients.reduce((sum, client) => sum + arrivals(client), 0)
  const random = streams(1)
  const [clock, who] = [random('arrivals'), random('clients')]
  const between = exponential({ mean: 1000 / total })
  const upTo: number[] = []
  for (const client of clients) upTo.push((upTo.at(-1) ?? 0) + arrivals(client))
  for (let nowMs = START; nowMs < START + 60_000; nowMs += between.draw(clock)) {
    const at = who.next() * total
    const client = clients[upTo.findIndex((end) => at < end)]!
    const hash = keyHashOf(client, 7)
    if (fairness && !fairness.allows(hash, 0, nowMs)) {
      refusedAsUnfair.add(client)
      continue
    }
    if (!room.take(1, 0, nowMs)) continue
    fairness?.admit(hash, nowMs)
    admitted.set(client, (admitted.get(client) ?? 0) + 1)
  }
  const all = [...admitted.values()].reduce((sum, n) => sum + n, 0)
  return { all, refusedAsUnfair, share: (client: string) => (admitted.get(client) ?? 0) / all }
}

const crowd = Array.from({ length: 500 }, (_, i) => `visitor ${i}`)
const withHog = [...crowd, 'hog']
const hogRate = (client: string) => (client === 'hog' ? 900 : 1)

describe('fairness within a class', () => {
  it('leaves one client with 900 of 1400 requests/s a tenth of the admissions, not 64 %', ({
    expect,
  }) => {
    expect(contest(null, hogRate, withHog).share('hog')).toBeGreaterThan(0.6)
    const fair = contest(fairnessOf(), hogRate, withHog)
    expect(fair.share('hog')).toBeLessThan(0.105)
    // Not a place is lost by it: others take what the client may not have.
    expect(fair.all).toBeGreaterThan(0.98 * 60 * 100)
  })

  it('refuses none of 5000 clients that ask alike', ({ expect }) => {
    const many = Array.from({ length: 5000 }, (_, i) => `visitor ${i}`)
    const { refusedAsUnfair } = contest(fairnessOf(), () => 0.1, many)
    expect(refusedAsUnfair.size).toBe(0)
  })

  it('lets anybody have 5 admissions in a half-life, were they alone in the class', ({
    expect,
  }) => {
    const fairness = fairnessOf()
    const verdicts = Array.from({ length: 8 }, () => {
      const allowed = fairness.allows(1, 0, START)
      if (allowed) fairness.admit(1, START)
      return allowed
    })
    expect(verdicts.filter(Boolean)).toHaveLength(5)
  })

  it('measures by the wider view where it has one: a tenth of 100/s in a quiet isolate', ({
    expect,
  }) => {
    const fairness = fairnessOf()
    let admitted = 0
    // 20/s from one office, which is all that this isolate sees.
    for (let nowMs = START; nowMs < START + 60_000; nowMs += 50) {
      if (!fairness.allows(1, 100, nowMs)) continue
      fairness.admit(1, nowMs)
      admitted++
    }
    // At the start it may save up a half-life's worth.
    expect(admitted / 60).toBeGreaterThan(10)
    expect(admitted / 60).toBeLessThan(13)
  })

  it('forgets: of 100 admissions 25 are left after two half-lives', ({ expect }) => {
    const fairness = fairnessOf({ least: 0, maxShare: 1 })
    for (let i = 0; i < 100; i++) fairness.admit(1, START)
    for (let i = 0; i < 75; i++) fairness.admit(2, START + 20_000)
    expect(fairness.share(1, START + 20_000)).toBeCloseTo(0.25, 9)
  })
})

describe('the sketch', () => {
  it('never counts less than the truth, whoever shares its cells', ({ expect }) => {
    const events = fc.array(fc.record({ key: fc.nat(50), waitMs: fc.nat(3000) }), {
      maxLength: 200,
    })
    fc.assert(
      fc.property(events, fc.nat(), (admissions, seed) => {
        const fairness = fairnessOf({ seed, width: 8, depth: 2 })
        let nowMs = START
        for (const { key, waitMs } of admissions) {
          nowMs += waitMs
          fairness.admit(key, nowMs)
        }
        const weights = new Map<number, number>()
        let atMs = START
        let total = 0
        for (const { key, waitMs } of admissions) {
          atMs += waitMs
          const weight = 2 ** ((atMs - nowMs) / 10_000)
          weights.set(key, (weights.get(key) ?? 0) + weight)
          total += weight
        }
        for (const [key, weight] of weights)
          expect(fairness.share(key, nowMs)).toBeGreaterThanOrEqual(weight / total - 1e-9)
      }),
    )
  })

  it('goes on for a year, with silent days in it', ({ expect }) => {
    const fairness = fairnessOf()
    for (let day = 0; day < 365; day++)
      for (let i = 0; i < 10; i++) fairness.admit(i, START + day * 86_400_000 + i)
    expect(fairness.share(3, START + 364 * 86_400_000 + 9)).toBeCloseTo(0.1, 3)
  })

  it('goes on when the clock is set back by an hour', ({ expect }) => {
    const fairness = fairnessOf()
    for (let i = 0; i < 50; i++) fairness.admit(1, START)
    const setBack = START - 3_600_000
    expect(fairness.allows(1, 0, setBack)).toBe(false)
    expect(fairness.allows(1, 0, setBack + 60_000)).toBe(true)
  })

  it('hashes a key the same each time, and otherwise with another seed', ({ expect }) => {
    expect(keyHashOf('203.0.113.7', 1)).toBe(keyHashOf('203.0.113.7', 1))
    expect(keyHashOf('203.0.113.7', 1)).not.toBe(keyHashOf('203.0.113.7', 2))
    expect(keyHashOf('203.0.113.7', 1)).not.toBe(keyHashOf('203.0.113.8', 1))
  })
})
