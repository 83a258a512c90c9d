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

  it('is a little below the least load where all was too much, however much it was', ({
    expect,
  }) => {
    const ceiling = ceilingOf(curve([0.93, 2], [0.95, 3]))
    expect(ceiling).toBeLessThan(0.93)
    expect(ceiling).toBeGreaterThan(0.8 * 0.93)
    expect(ceilingOf(curve([0.93, 20]))).toBe(ceiling)
    // Loads are in units of the capacity: at half of them it is half as high.
    expect(ceilingOf(curve([0.465, 2]))).toBeCloseTo(ceiling / 2, 12)
  })

  it('pools neighbours that would make it fall (§5.2): 1.8 and 0.6 are 1.2 at 0.92', ({
    expect,
  }) => {
    expect(ceilingOf(curve([0.9, 1.8], [0.94, 0.6]))).toBeCloseTo(ceilingOf(curve([0.92, 1.2])), 12)
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
    // Powers of two, so that rounding makes no two of them equal that were not.
    const power = fc.integer({ min: -2, max: 2 }).map((exponent) => 2 ** exponent)
    const factors = fc.tuple(power, power)
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

/** Some completions at 18.2/s, an origin of 20/s, half of the allowance spent. */
const FEW: CurveEvidence = { seconds: 1, requests: 18.2, completed: 20, spent: 0.5, capacity: 20 }

/** Enough for a pair at once. */
const pair = (load: number, spent: number): CurveEvidence => ({
  ...{ seconds: 1000, requests: 20_000 * load, completed: 20_000, spent, capacity: 20 },
})

const observe = (evidence: readonly CurveEvidence[], from = NO_CURVE) =>
  evidence.reduce(observeCurve, from)
const repeat = (evidence: CurveEvidence, count: number) => new Array(count).fill(evidence)

describe('pairs and slices (§5.1)', () => {
  it('makes a pair of many completions: where they were and what they spent in the mean', ({
    expect,
  }) => {
    const more = { ...FEW, seconds: 3, requests: 3 * 18.2, completed: 60, spent: 1.5 }
    const fed: CurveEvidence[] = []
    let curve = NO_CURVE
    while (curve.slices.length === 0 && fed.length < 1000) {
      fed.push(fed.length % 2 === 0 ? FEW : more)
      curve = observeCurve(curve, fed.at(-1)!)
    }
    // Few completions follow chance more than load.
    expect(fed.length).toBeGreaterThan(2)
    expect(curve.slices[0]!.load).toBeCloseTo(18.2 / 20, 9)
    // Completions are counted, not intervals: as many of both spend (20 · 0.5 + 60 · 1.5)/80.
    const sum = (of: (one: CurveEvidence) => number) => fed.reduce((all, one) => all + of(one), 0)
    const spent = sum((one) => one.completed * one.spent) / sum((one) => one.completed)
    expect(curve.slices[0]!.spent).toBeCloseTo(spent, 9)
    // The next pair begins anew.
    expect(observe([FEW], curve).slices).toEqual(curve.slices)
  })

  it('keeps the barycenter of the loads that are nearly the same, where the old one counts less', ({
    expect,
  }) => {
    const [slice, ...others] = observe([pair(0.902, 0.4), pair(0.906, 0.8)]).slices
    expect(others).toEqual([])
    const old = slice!.weight - 1
    expect(old).toBeGreaterThan(0)
    expect(old).toBeLessThan(1)
    expect(slice!.load).toBeCloseTo((old * 0.902 + 0.906) / (old + 1), 9)
    expect(slice!.spent).toBeCloseTo((old * 0.4 + 0.8) / (old + 1), 9)
  })

  it('forgets (the paper’s averages never age): a slice weighs less with each other pair, until it is dropped', ({
    expect,
  }) => {
    let curve = observe([pair(0.951, 3)])
    const weights: number[] = []
    for (let n = 0; n < 1000; n++) {
      const old = curve.slices.find(({ load }) => load > 0.95)
      if (old === undefined) break
      weights.push(old.weight)
      curve = observe([pair(0.901, 0.4)], curve)
    }
    expect(curve.slices).toHaveLength(1)
    // Not after a few: the next peak may be minutes away.
    expect(weights.length).toBeGreaterThan(10)
    for (const [n, weight] of weights.slice(1).entries())
      expect(weight / weights[n]!).toBeCloseTo(weights[1]!, 9)
  })

  it('follows a change within a slice, however long nothing had changed', ({ expect }) => {
    const long = observe(repeat(pair(0.901, 0), 1000))
    const { weight } = long.slices[0]!
    expect(observe([pair(0.901, 0)], long).slices[0]!.weight).toBeCloseTo(weight, 9)
    expect(observe([pair(0.901, 1)], long).slices[0]!.spent).toBeCloseTo(1 / weight, 9)
    // As many pairs as it remembers: 1 − e^(−1) and a little more is new.
    const changed = observe(repeat(pair(0.901, 1), Math.ceil(weight)), long)
    expect(weight).toBeLessThan(50)
    expect(changed.slices[0]!.spent).toBeGreaterThan(1 - Math.exp(-1))
  })

  it('is the same for an origin of any size: four times the requests at four times the capacity', ({
    expect,
  }) => {
    const small = pair(0.91, 0.5)
    const large = { ...small, requests: 4 * small.requests, capacity: 4 * small.capacity }
    expect(observeCurve(NO_CURVE, large)).toEqual(observeCurve(NO_CURVE, small))
  })
})
