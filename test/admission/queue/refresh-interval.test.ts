import fc from 'fast-check'
import { describe, it } from 'vitest'
import { refreshMs } from '../../../src/admission/queue/refresh-interval.ts'

const coins = fc.double({ min: 0, max: 0.999999, noNaN: true })

describe('the time to the next refresh', () => {
  it('grows with the wait, and is never longer than 30 s', ({ expect }) => {
    const middle = [1, 10, 30, 60, 100, 3600].map((waitS) => refreshMs(waitS, false, 0.5))
    expect(middle).toEqual([2000, 2000, 6000, 12_000, 20_000, 25_000])
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), coins, (waitS, coin) => {
        const ms = refreshMs(waitS, false, coin)
        expect(ms).toBeGreaterThanOrEqual(1600)
        expect(ms).toBeLessThanOrEqual(30_000)
      }),
    )
  })

  it('differs by up to a fifth, so that visitors do not come back together', ({ expect }) => {
    expect(refreshMs(50, false, 0)).toBe(8000)
    expect(refreshMs(50, false, 0.999999)).toBe(12_000)
  })

  it('is about 4 s for a new ticket, however long the queue is', ({ expect }) => {
    for (const waitS of [0, 3600]) expect(refreshMs(waitS, true, 0.5)).toBe(4000)
  })
})
