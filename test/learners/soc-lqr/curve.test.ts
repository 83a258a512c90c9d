import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  type CurveEvidence,
  ceilingOf,
  type LateCurve,
  NO_CURVE,
  observeCurve,
} from '../../../src/learners/soc-lqr/curve.ts'

/** A point of the curve: load as a part of the capacity, share over the target in allowances, and its weight. */
type Point = readonly [load: number, spent: number, weight?: number]

/** Slices are 0.02 wide. */
const curve = (...points: readonly Point[]): LateCurve => ({
  ...NO_CURVE,
  slices: points.map(([load, spent, weight = 4]) => ({
    slice: Math.floor(load / 0.02),
    weight,
    load,
    spent,
  })),
})

describe('SOC’s curve in units of capacity (Bartolini et al. 2009, §5)', () => {
  it('is inverted at the target: 0.5 at 0.91 and 1.5 at 0.95 spend it all at 0.93', ({
    expect,
  }) => {
    expect(ceilingOf(curve([0.91, 0.5], [0.95, 1.5]))).toBeCloseTo(0.93, 12)
  })

  it('has no ceiling where the promise never broke', ({ expect }) => {
    expect(ceilingOf(NO_CURVE)).toBe(Number.POSITIVE_INFINITY)
    expect(ceilingOf(curve([0.91, 0.5], [0.95, 0.9]))).toBe(Number.POSITIVE_INFINITY)
  })

  it('does not believe a single pair (§5.1 would: it has no spread)', ({ expect }) => {
    expect(ceilingOf(curve([0.91, 0.5], [0.95, 1.5, 1]))).toBe(Number.POSITIVE_INFINITY)
    expect(ceilingOf(curve([0.91, 0.5], [0.95, 1.5, 2]))).toBeCloseTo(0.93, 12)
  })

  it('is 3 % below the least load where all was too much: 0.927/1.03 = 0.9', ({ expect }) => {
    expect(ceilingOf(curve([0.927, 2], [0.95, 3]))).toBeCloseTo(0.9, 12)
  })

  it('pools neighbours that would make it fall (§5.2): 1.8 and 0.6 are 1.2 at 0.92', ({
    expect,
  }) => {
    expect(ceilingOf(curve([0.9, 1.8], [0.94, 0.6]))).toBeCloseTo(0.92 / 1.03, 12)
    // By weight: 3 · 1.8 and 1 · 0.6 are 1.5 at 0.91; with 0.5 at 0.85 below, half of the way.
    const weighted = curve([0.85, 0.5], [0.9, 1.8, 3], [0.94, 0.6, 1])
    expect(ceilingOf(weighted)).toBeCloseTo(0.88, 12)
  })

  it('never falls: a promise that is k times as strict never has a higher ceiling', ({
    expect,
  }) => {
    const points = fc.uniqueArray(
      fc.record({
        slice: fc.integer({ min: 30, max: 60 }),
        weight: fc.double({ min: 1.2, max: 8, noNaN: true }),
        spent: fc.double({ min: 0, max: 5, noNaN: true }),
      }),
      { selector: ({ slice }) => slice, minLength: 1, maxLength: 12 },
    )
    const factors = fc.tuple(
      fc.double({ min: 0.2, max: 5, noNaN: true }),
      fc.double({ min: 0.2, max: 5, noNaN: true }),
    )
    fc.assert(
      fc.property(points, factors, (all, [a, b]) => {
        const slices = all
          .map((point) => ({ ...point, load: (point.slice + 0.5) * 0.02 }))
          .sort((x, y) => x.slice - y.slice)
        const ceiling = (strict: number) =>
          ceilingOf({
            ...NO_CURVE,
            slices: slices.map((slice) => ({ ...slice, spent: slice.spent * strict })),
          })
        const [loose, strict] = [ceiling(Math.min(a, b)), ceiling(Math.max(a, b))]
        expect(strict).toBeLessThanOrEqual(loose + 1e-9)
      }),
    )
  })
})

/** Half a pair: 200 completions at 18.2/s, an origin of 20/s, 0.5 of the allowance spent. */
const HALF: CurveEvidence = {
  seconds: 10,
  requests: 182,
  completed: 200,
  spent: 0.5,
  capacity: 20,
}

describe('pairs and slices (§5.1)', () => {
  it('makes a pair of 400 completions: load 18.2/20 = 0.91 in the slice from 0.90', ({
    expect,
  }) => {
    const half = observeCurve(NO_CURVE, HALF)
    expect(half.slices).toEqual([])
    const [slice] = observeCurve(half, { ...HALF, spent: 1.5 }).slices
    expect(slice).toMatchObject({ slice: 45, weight: 1 })
    expect(slice!.load).toBeCloseTo(0.91, 12)
    // Requests are counted, not intervals: (200 · 0.5 + 200 · 1.5)/400.
    expect(slice!.spent).toBeCloseTo(1, 12)
  })

  const pair = (load: number, spent: number): CurveEvidence => ({
    ...HALF,
    requests: 200 * load,
    completed: 400,
    spent,
  })

  it('keeps the barycenter of a slice: 0.901 and 0.911 with 0.4 and 0.8, where the old one has faded', ({
    expect,
  }) => {
    // Weights 0.97 and 1: the mean of the new one counts for 1/1.97.
    const [slice] = observeCurve(observeCurve(NO_CURVE, pair(0.901, 0.4)), pair(0.911, 0.8)).slices
    expect(slice!.weight).toBeCloseTo(1.97, 12)
    expect(slice!.load).toBeCloseTo(0.901 + 0.01 / 1.97, 9)
    expect(slice!.spent).toBeCloseTo(0.4 + 0.4 / 1.97, 9)
  })

  it('forgets (the paper’s averages never age): 0.97ⁿ < 0.2 drops a slice after 53 other pairs', ({
    expect,
  }) => {
    let curve = observeCurve(NO_CURVE, pair(0.951, 3))
    for (let n = 0; n < 52; n++) curve = observeCurve(curve, pair(0.901, 0.4))
    expect(curve.slices).toHaveLength(2)
    expect(observeCurve(curve, pair(0.901, 0.4)).slices).toHaveLength(1)
  })

  it('follows a change within a slice: 8 pairs are remembered at the most', ({ expect }) => {
    let curve = NO_CURVE
    for (let n = 0; n < 100; n++) curve = observeCurve(curve, pair(0.901, 0))
    curve = observeCurve(curve, pair(0.901, 1))
    expect(curve.slices[0]!.spent).toBeCloseTo(1 / 8, 9)
  })

  it('is the same for an origin of any size: four times the requests at four times the capacity', ({
    expect,
  }) => {
    const large = { ...HALF, requests: 4 * 182, completed: 400, capacity: 80 }
    const small = { ...HALF, completed: 400 }
    expect(observeCurve(NO_CURVE, large)).toEqual(observeCurve(NO_CURVE, small))
  })
})
