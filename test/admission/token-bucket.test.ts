import fc from 'fast-check'
import { describe, it } from 'vitest'
import { streams } from '../../lab/engine/random.ts'
import { TokenBucket } from '../../src/admission/token-bucket.ts'

const START = 1_000_000
/** Rounding of a few hundred additions. */
const ROUNDING = 1e-6

function bucketOf({ rate, depth, level = depth }: { rate: number; depth: number; level?: number }) {
  const bucket = new TokenBucket(START, level)
  bucket.set(rate, depth, START)
  return bucket
}

/** Does the bucket have exactly this many tokens? It is empty afterwards. */
const tokensAt = (bucket: TokenBucket, nowMs: number, count: number): boolean =>
  !bucket.take(count + ROUNDING, 0, nowMs) && bucket.take(count, 0, nowMs)

const amount = fc.double({ min: 0, max: 20, noNaN: true })
const anyCalls = fc.array(
  fc.record({ waitMs: fc.constantFrom(0, 0, 1, 17, 400, 60_000), cost: amount, reserve: amount }),
  { maxLength: 100 },
)

describe('the priority token bucket', () => {
  it('admits at most rate × t + depth over any interval', ({ expect }) => {
    fc.assert(
      fc.property(anyCalls, amount, amount, (calls, rate, depth) => {
        const bucket = bucketOf({ rate, depth })
        let nowMs = START
        const taken: { atMs: number; cost: number }[] = []
        for (const { waitMs, cost, reserve } of calls) {
          nowMs += waitMs
          if (bucket.take(cost, reserve, nowMs)) taken.push({ atMs: nowMs, cost })
        }
        for (const [from, { atMs: fromMs }] of taken.entries()) {
          let sum = 0
          for (const { atMs, cost } of taken.slice(from)) {
            sum += cost
            const most = (rate * (atMs - fromMs)) / 1000 + depth
            expect(sum).toBeLessThanOrEqual(most + ROUNDING)
          }
        }
      }),
    )
  })

  it('never refuses a more important class when it admits a less important one at the same time', ({
    expect,
  }) => {
    fc.assert(
      fc.property(anyCalls, amount, amount, amount, amount, (calls, rate, less, more, cost) => {
        const [important, lesser] = less < more ? [less, more] : [more, less]
        const pair = [bucketOf({ rate, depth: 20 }), bucketOf({ rate, depth: 20 })]
        let nowMs = START
        for (const call of calls) {
          nowMs += call.waitMs
          for (const bucket of pair) bucket.take(call.cost, call.reserve, nowMs)
        }
        const lesserAdmitted = pair[0]!.take(cost, lesser, nowMs)
        const importantAdmitted = pair[1]!.take(cost, important, nowMs)
        expect(importantAdmitted || !lesserAdmitted).toBe(true)
      }),
    )
  })

  it('keeps 4 of 10 tokens for a class without a reserve', ({ expect }) => {
    const bucket = bucketOf({ rate: 0, depth: 10 })
    const lesser = Array.from({ length: 10 }, () => bucket.take(1, 4, START))
    expect(lesser.filter(Boolean)).toHaveLength(6)
    const important = Array.from({ length: 10 }, () => bucket.take(1, 0, START))
    expect(important.filter(Boolean)).toHaveLength(4)
  })

  it('on credit admits what costs 8 as often as what costs 0.5, and its rate in load', ({
    expect,
  }) => {
    const bucket = bucketOf({ rate: 10, depth: 20 })
    const random = streams(1)('who comes')
    const admitted = { cheap: 0, costly: 0 }
    // 50/s of each ask for 200 s: 425/s of load, of which 10/s fit.
    for (let i = 0; i < 20_000; i++) {
      const kind = random.next() < 0.5 ? 'cheap' : 'costly'
      const cost = kind === 'cheap' ? 0.5 : 8
      if (bucket.takeOnCredit(cost, 1, 0, START + i * 10)) admitted[kind]++
    }
    const load = 0.5 * admitted.cheap + 8 * admitted.costly
    expect(Math.abs(load - 10 * 200)).toBeLessThanOrEqual(20 + 8)
    // Some 235 of each, drawn as by a coin: two standard deviations of their difference are 43.
    expect(Math.abs(admitted.cheap - admitted.costly)).toBeLessThan(43)
  })

  it('starts empty and fills at its rate: 5 tokens in half a second at 10/s', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 20, level: 0 })
    expect(bucket.take(1, 0, START)).toBe(false)
    expect(bucket.take(5, 0, START + 500)).toBe(true)
    expect(bucket.take(0.1, 0, START + 500)).toBe(false)
  })

  it('has no more tokens than its depth after a gap of a day', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 20, level: 0 })
    expect(tokensAt(bucket, START + 86_400_000, 20)).toBe(true)
  })

  it('fills at the old rate for the time before a change', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 100, level: 0 })
    bucket.set(1000, 100, START + 2000)
    expect(tokensAt(bucket, START + 2000, 20)).toBe(true)
  })

  it('drops the tokens above a smaller depth', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 20 })
    bucket.set(1000, 5, START)
    expect(tokensAt(bucket, START, 5)).toBe(true)
  })
})

describe('a clock that misbehaves', () => {
  it('adds no tokens while it stands still', ({ expect }) => {
    const bucket = bucketOf({ rate: 1000, depth: 3 })
    const taken = Array.from({ length: 100 }, () => bucket.take(1, 0, START))
    expect(taken.filter(Boolean)).toHaveLength(3)
  })

  it('adds no tokens twice when concurrent requests read clocks that are seconds apart', ({
    expect,
  }) => {
    const lag = fc.integer({ min: 0, max: 5000 })
    fc.assert(
      fc.property(fc.array(lag, { maxLength: 200 }), (lags) => {
        const bucket = bucketOf({ rate: 10, depth: 1000, level: 0 })
        lags.forEach((lagMs, i) => {
          bucket.take(0, 0, START + i * 10 - lagMs)
        })
        const most = (10 * lags.length * 10) / 1000
        expect(bucket.take(most + ROUNDING, 0, START)).toBe(false)
      }),
    )
  })

  it('still adds tokens after it was set back by an hour', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 20, level: 0 })
    const setBack = START - 3_600_000
    expect(bucket.take(1, 0, setBack)).toBe(false)
    expect(bucket.take(10, 0, setBack + 1000)).toBe(true)
  })

  it('is harmless if it gives NaN, and so are NaN and negative amounts', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 20 })
    expect(bucket.take(Number.NaN, 0, START)).toBe(false)
    expect(bucket.take(-5, 0, START)).toBe(false)
    expect(bucket.take(1, Number.NaN, START)).toBe(false)
    expect(bucket.take(1, 0, Number.NaN)).toBe(true)
    bucket.set(Number.NaN, 20, START)
    expect(tokensAt(bucket, START + 1000, 19)).toBe(true)
  })
})
