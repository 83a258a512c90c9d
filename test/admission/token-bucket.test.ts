import fc from 'fast-check'
import { describe, it } from 'vitest'
import { TokenBucket } from '../../src/admission/token-bucket.ts'

const START = 1_000_000
/** Rounding of a few hundred additions. */
const ROUNDING = 1e-6

function bucketOf({ rate, depth, level = depth }: { rate: number; depth: number; level?: number }) {
  const bucket = new TokenBucket(START, level)
  bucket.set(rate, depth, START)
  return bucket
}

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

  it('never refuses a more important class when it admits a lesser one at the same moment', ({
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

  it('keeps 4 of 10 tokens for those who name no reserve', ({ expect }) => {
    const bucket = bucketOf({ rate: 0, depth: 10 })
    const lesser = Array.from({ length: 10 }, () => bucket.take(1, 4, START))
    expect(lesser.filter(Boolean)).toHaveLength(6)
    const important = Array.from({ length: 10 }, () => bucket.take(1, 0, START))
    expect(important.filter(Boolean)).toHaveLength(4)
  })

  it('starts empty, and fills at its rate: 5 tokens in half a second at 10/s', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 20, level: 0 })
    expect(bucket.take(1, 0, START)).toBe(false)
    expect(bucket.take(5, 0, START + 500)).toBe(true)
    expect(bucket.take(0.1, 0, START + 500)).toBe(false)
  })

  it('holds no more than its depth after a gap of a day', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 20, level: 0 })
    bucket.take(0, 0, START + 86_400_000)
    expect(bucket.level).toBe(20)
  })

  it('pays the time before a change at the old rate, and cuts down to a smaller depth', ({
    expect,
  }) => {
    const bucket = bucketOf({ rate: 10, depth: 100, level: 0 })
    bucket.set(1000, 100, START + 2000)
    expect(bucket.level).toBe(20)
    bucket.set(1000, 5, START + 2000)
    expect(bucket.level).toBe(5)
  })
})

describe('a clock that misbehaves', () => {
  it('pays nothing while it stands still', ({ expect }) => {
    const bucket = bucketOf({ rate: 1000, depth: 3 })
    const taken = Array.from({ length: 100 }, () => bucket.take(1, 0, START))
    expect(taken.filter(Boolean)).toHaveLength(3)
  })

  it('pays no moment twice when requests side by side read clocks some seconds apart', ({
    expect,
  }) => {
    const lag = fc.integer({ min: 0, max: 5000 })
    fc.assert(
      fc.property(fc.array(lag, { maxLength: 200 }), (lags) => {
        const bucket = bucketOf({ rate: 10, depth: 1000, level: 0 })
        lags.forEach((lagMs, i) => {
          bucket.take(0, 0, START + i * 10 - lagMs)
        })
        expect(bucket.level).toBeLessThanOrEqual((10 * lags.length * 10) / 1000 + ROUNDING)
      }),
    )
  })

  it('goes on paying after the clock was set back by an hour', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 20, level: 0 })
    const setBack = START - 3_600_000
    expect(bucket.take(1, 0, setBack)).toBe(false)
    expect(bucket.take(10, 0, setBack + 1000)).toBe(true)
  })

  it('is unmoved by numbers that are none', ({ expect }) => {
    const bucket = bucketOf({ rate: 10, depth: 20 })
    expect(bucket.take(Number.NaN, 0, START)).toBe(false)
    expect(bucket.take(-5, 0, START)).toBe(false)
    expect(bucket.take(1, Number.NaN, START)).toBe(false)
    expect(bucket.take(1, 0, Number.NaN)).toBe(true)
    bucket.set(Number.NaN, 20, START)
    bucket.take(0, 0, START + 1000)
    expect(bucket.level).toBe(19)
  })
})
