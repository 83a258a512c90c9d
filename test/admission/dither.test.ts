import fc from 'fast-check'
import { describe, it } from 'vitest'
import { Dither } from '../../src/admission/dither.ts'

const phase = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const probability = fc.double({ min: 0, max: 1, noNaN: true })
const times = <T>(n: number, make: (i: number) => T) => Array.from({ length: n }, (_, i) => make(i))
const count = (verdicts: readonly boolean[]) => verdicts.filter(Boolean).length
/** Rounding of a thousand additions. */
const ROUNDING = 1e-9

describe('dithered draws', () => {
  it('admit p × n of n draws, within one, for any phase and any run of draws', ({ expect }) => {
    fc.assert(
      fc.property(phase, probability, fc.nat(500), fc.nat(500), (start, p, skip, n) => {
        const dither = new Dither(start)
        times(skip, () => dither.draw(p))
        const admitted = count(times(n, () => dither.draw(p)))
        expect(Math.abs(admitted - p * n)).toBeLessThanOrEqual(1 + ROUNDING)
      }),
    )
  })

  it('admit the sum of the probabilities, within one, if the probability changes at every draw', ({
    expect,
  }) => {
    fc.assert(
      fc.property(phase, fc.array(probability, { maxLength: 500 }), (start, ps) => {
        const dither = new Dither(start)
        const admitted = count(ps.map((p) => dither.draw(p)))
        const expected = ps.reduce((sum, p) => sum + p, 0)
        expect(Math.abs(admitted - expected)).toBeLessThanOrEqual(1 + ROUNDING)
      }),
    )
  })

  it('never admit at 0 and never refuse at 1, whatever came before', ({ expect }) => {
    fc.assert(
      fc.property(phase, fc.array(probability), (start, before) => {
        const dither = new Dither(start)
        for (const p of before) dither.draw(p)
        expect(dither.draw(0)).toBe(false)
        expect(dither.draw(1)).toBe(true)
      }),
    )
  })

  it('admit 3 in 10 of the first requests of a thousand isolates at p = 0.3', ({ expect }) => {
    // Evenly spread phases stand for random ones: this tests that no phase is preferred.
    const first = times(1000, (i) => new Dither((i + 0.5) / 1000).draw(0.3))
    expect(count(first)).toBe(300)
  })

  it('give every position in the run the same chance', ({ expect }) => {
    const isolates = times(1000, (i) => new Dither((i + 0.5) / 1000))
    for (let draw = 0; draw < 20; draw++) {
      const admitted = count(isolates.map((dither) => dither.draw(0.3)))
      expect(Math.abs(admitted - 300)).toBeLessThanOrEqual(1)
    }
  })

  it('admit at most one extra after 10,000 draws at 0', ({ expect }) => {
    const dither = new Dither(0.99)
    for (let i = 0; i < 10_000; i++) dither.draw(0)
    const admitted = count(times(100, () => dither.draw(0.1)))
    expect(admitted).toBeLessThanOrEqual(11)
  })

  it('refuse at a probability that is not a number, and still work afterwards', ({ expect }) => {
    const dither = new Dither(Number.NaN)
    expect(dither.draw(Number.NaN)).toBe(false)
    expect(dither.draw(-1)).toBe(false)
    expect(dither.draw(2)).toBe(true)
    expect(count(times(10, () => dither.draw(0.5)))).toBe(5)
  })
})
