import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  addPair,
  type Barycenter,
  isReliable,
  mergeBarycenters,
  type StatPair,
  scaleSlices,
  sliceOf,
  withCount,
} from '../../../src/learners/soc/slices.ts'

const FOREVER = { memory: 1e9, fade: 0 }

function summaryOf(pairs: readonly StatPair[], aging = FOREVER): Barycenter {
  return pairs.reduce<readonly Barycenter[]>(
    (slices, pair) => addPair(slices, pair, 0, aging),
    [],
  )[0]!
}

const pair = (rate: number, responseMs: number): StatPair => ({ rate, responseMs })

const anyPairs = fc.array(
  fc.record({
    rate: fc.double({ min: 0.1, max: 1000, noNaN: true }),
    responseMs: fc.double({ min: 1, max: 60_000, noNaN: true }),
  }),
  { minLength: 1, maxLength: 30 },
)

describe('barycenter summaries (Bartolini et al. 2009, §5.1)', () => {
  it('averages (2, 100), (2.1, 140) and (2.2, 120) to (2.1, 120), N = 3, σ = (0.1, 20)', ({
    expect,
  }) => {
    const barycenter = summaryOf([pair(2, 100), pair(2.1, 140), pair(2.2, 120)])
    expect(barycenter.rate).toBeCloseTo(2.1, 12)
    expect(barycenter.responseMs).toBeCloseTo(120, 9)
    expect(barycenter.count).toBe(3)
    // Σ(λ − 2.1)² = 0.02 and Σ(RT − 120)² = 800, both over N − 1 = 2
    expect(Math.sqrt(barycenter.rateSquares / 2)).toBeCloseTo(0.1, 12)
    expect(Math.sqrt(barycenter.responseSquares / 2)).toBeCloseTo(20, 9)
  })

  it('is the same for two summaries merged as for all their pairs together', ({ expect }) => {
    fc.assert(
      fc.property(anyPairs, anyPairs, (a, b) => {
        const merged = mergeBarycenters(summaryOf(a), summaryOf(b))
        const all = summaryOf([...a, ...b])
        for (const name of ['count', 'rate', 'responseMs'] as const) {
          expect(merged[name]).toBeCloseTo(all[name], 6)
        }
        const near = (x: number, y: number) => Math.abs(x - y) <= 1e-6 * Math.max(1, x, y)
        expect(near(merged.rateSquares, all.rateSquares)).toBe(true)
        expect(near(merged.responseSquares, all.responseSquares)).toBe(true)
      }),
    )
  })

  it('uses slices a tenth of the rate wide, which fit a route of any size', ({ expect }) => {
    expect(sliceOf(100, 1, 0.1)).toBe(sliceOf(105, 1, 0.1))
    expect(sliceOf(116, 1, 0.1)).toBe(sliceOf(105, 1, 0.1) + 1)
    expect(sliceOf(1120, 1, 0.1) - sliceOf(1000, 1, 0.1)).toBe(1)
  })

  it('adds a pair to its slice, and keeps the slices in order of their rates', ({ expect }) => {
    const slices = [5, 2, 9, 2].reduce<readonly Barycenter[]>(
      (known, slice) => addPair(known, pair(slice + 1, 100), slice, FOREVER),
      [],
    )
    expect(slices.map(({ slice, count }) => [slice, count])).toEqual([
      [2, 2],
      [5, 1],
      [9, 1],
    ])
  })
})

describe('reliability by standard error (§5.1)', () => {
  it('never holds for a single pair, whose standard error is 0', ({ expect }) => {
    expect(isReliable(summaryOf([pair(2, 100)]), 0.25)).toBe(false)
    expect(isReliable(summaryOf([pair(2, 100), pair(2, 100)]), 0.25)).toBe(true)
  })

  it('needs σ/√N within t_err in both coordinates: 100 ± 50 needs N ≥ 4 at 0.25', ({ expect }) => {
    // Two pairs at 50 and 150: σ = 70.7, σ/√2 = 50 > 25. Eight of them: σ = 53.5, σ/√8 = 18.9 < 25.
    const spread = [pair(2, 50), pair(2, 150)]
    expect(isReliable(summaryOf(spread), 0.25)).toBe(false)
    expect(isReliable(summaryOf([...spread, ...spread, ...spread, ...spread]), 0.25)).toBe(true)
    const otherWay = spread.map(({ rate, responseMs }) => pair(responseMs, rate))
    expect(isReliable(summaryOf(otherWay), 0.25)).toBe(false)
  })
})

describe('forgetting', () => {
  it('follows a new level after `memory` pairs; the paper needs as many as came before', ({
    expect,
  }) => {
    const before = new Array<StatPair>(1000).fill(pair(2, 100))
    const after = new Array<StatPair>(60).fill(pair(2, 400))
    const forgetting = summaryOf([...before, ...after], { memory: 30, fade: 0 })
    // 1 − (29/30)^60 = 0.87 of the way from 100 to 400 ms
    expect(forgetting.responseMs).toBeCloseTo(400 - 300 * (29 / 30) ** 60, 6)
    expect(forgetting.count).toBeCloseTo(30, 9)
    expect(summaryOf([...before, ...after]).responseMs).toBeLessThan(120)
  })

  it('fades slices that are not seen: 0.998 per iteration is half in 346 iterations', ({
    expect,
  }) => {
    let slices = addPair([], pair(2, 100), 0, FOREVER)
    for (let k = 0; k < 346; k++)
      slices = addPair(slices, pair(9, 100), 7, { memory: 30, fade: 0.002 })
    expect(slices[0]!.count).toBeCloseTo(0.5, 2)
    expect(slices[0]!.responseMs).toBe(100)
  })
})

describe('scaling to another capacity (§5.3)', () => {
  const known = [
    { ...summaryOf([pair(2, 90), pair(2.1, 110)]), slice: 3 },
    { ...summaryOf(new Array<StatPair>(20).fill(pair(3, 200))), slice: 5 },
    { ...summaryOf([pair(4, 500)]), slice: 8 },
  ]

  it('multiplies rates and their spread by ρ and leaves response times: 20 servers become 14', ({
    expect,
  }) => {
    const [first, second] = scaleSlices(known, 0.7, 0.25)
    expect(first!.rate).toBeCloseTo(2.05 * 0.7, 12)
    expect(first!.responseMs).toBe(100)
    expect(first!.rateSquares).toBeCloseTo(known[0]!.rateSquares * 0.49, 12)
    expect(second!.rate).toBeCloseTo(2.1, 12)
  })

  it('drops unreliable slices', ({ expect }) => {
    expect(scaleSlices(known, 0.7, 0.25).map(({ slice }) => slice)).toEqual([3, 5])
  })

  it('leaves the smallest count that is still reliable by the same rule, at least two', ({
    expect,
  }) => {
    // Ten pairs at 100 ± 40 ms. Of n pairs with that spread (40/25)² n/(n − 1) are needed: 3.84 of 3, 3.41 of 4.
    const ten = summaryOf([...Array(5).fill(pair(2, 60)), ...Array(5).fill(pair(2, 140))])
    const [scaled] = scaleSlices([ten], 2, 0.25)
    expect(scaled!.count).toBe(4)
    expect(isReliable(scaled!, 0.25)).toBe(true)
    expect(scaleSlices([known[1]!], 2, 0.25)[0]!.count).toBe(2)
  })

  it('loses no reliable slice, and makes none unreliable', ({ expect }) => {
    fc.assert(
      fc.property(anyPairs, fc.double({ min: 0.1, max: 10, noNaN: true }), (pairs, ratio) => {
        const slice = summaryOf(pairs)
        const scaled = scaleSlices([slice], ratio, 0.25)
        expect(scaled.length).toBe(isReliable(slice, 0.25) ? 1 : 0)
        for (const one of scaled)
          expect(isReliable(withCount(one, one.count * (1 + 1e-9)), 0.25)).toBe(true)
      }),
    )
  })

  it('is undone by 1/ρ', ({ expect }) => {
    fc.assert(
      fc.property(anyPairs, fc.double({ min: 0.1, max: 10, noNaN: true }), (pairs, ratio) => {
        const once = scaleSlices([summaryOf(pairs)], 1, 0.25)
        const back = scaleSlices(scaleSlices(once, ratio, 0.25), 1 / ratio, 0.25)
        // A slice that was just reliable may round to slightly below: then it is dropped, never distorted.
        for (const barycenter of back) {
          expect(barycenter.rate).toBeCloseTo(once[0]!.rate, 6)
          expect(barycenter.responseMs).toBe(once[0]!.responseMs)
          expect(barycenter.slice).toBe(once[0]!.slice)
        }
      }),
    )
  })

  it('changes the count without changing mean or spread', ({ expect }) => {
    const half = withCount(known[1]!, 10)
    expect(half).toMatchObject({ rate: 3, responseMs: 200, count: 10 })
  })
})
