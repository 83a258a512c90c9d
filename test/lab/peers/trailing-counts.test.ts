import fc from 'fast-check'
import { describe, it } from 'vitest'
import { TrailingCounts } from '../../../lab/peers/trailing-counts.ts'

describe('counts over a sliding window', () => {
  it('drop a bucket as a whole: 3 buckets of 10 ms keep what came from 10 ms on at 30 ms', ({
    expect,
  }) => {
    const counts = new TrailingCounts(3, 10)
    counts.add(1, 0)
    counts.add(2, 9)
    counts.add(4, 10)
    counts.add(8, 29)
    expect(counts.total(29)).toBe(15)
    expect(counts.total(30)).toBe(12)
    expect(counts.total(40)).toBe(8)
    expect(counts.total(50)).toBe(0)
  })

  it('give the full buckets, newest first, without the current one', ({ expect }) => {
    const counts = new TrailingCounts(4, 10)
    expect(counts.full(5)).toEqual([0, 0, 0])
    counts.add(1, 5)
    counts.add(2, 15)
    counts.add(3, 25)
    expect(counts.full(29)).toEqual([2, 1, 0])
    expect(counts.full(30)).toEqual([3, 2, 1])
    expect(counts.full(50)).toEqual([0, 0, 3])
  })

  it('move one from an earlier bucket, so that it expires later', ({ expect }) => {
    const counts = new TrailingCounts(3, 10)
    counts.add(2, 0)
    counts.moveOne(0, 25)
    expect(counts.total(29)).toBe(2)
    expect(counts.total(30)).toBe(1)
    expect(counts.total(49)).toBe(1)
    expect(counts.total(50)).toBe(0)
  })

  it('agree with a list of all events, for any pauses', ({ expect }) => {
    const events = fc.array(fc.tuple(fc.nat(200), fc.nat(9)), { maxLength: 60 })
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 8 }),
        fc.integer({ min: 1, max: 30 }),
        events,
        (n, ms, list) => {
          const counts = new TrailingCounts(n, ms)
          const all: { bucket: number; amount: number }[] = []
          let now = 0
          for (const [pause, amount] of list) {
            now += pause
            counts.add(amount, now)
            const bucket = Math.floor(now / ms)
            all.push({ bucket, amount })
            const kept = all.filter((event) => event.bucket > bucket - n)
            expect(counts.total(now)).toBe(kept.reduce((sum, event) => sum + event.amount, 0))
          }
        },
      ),
    )
  })
})
