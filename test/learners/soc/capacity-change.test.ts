import { describe, it } from 'vitest'
import { streams } from '../../../lab/engine/random.ts'
import { NO_CHANGE, ratioFrom, watchChange } from '../../../src/learners/soc/capacity-change.ts'

/** Number of values until a change is detected, and its kind; null: none within 1000 values. */
function detectedAfter(
  measured: (k: number) => number,
  predictedMs = 200,
): [number, string] | null {
  let watch = NO_CHANGE
  for (let k = 1; k <= 1000; k++) {
    const seen = watchChange(watch, measured(k), predictedMs)
    if (seen.found !== null) return [k, seen.found]
    watch = seen.watch
  }
  return null
}

describe('unannounced changes (ours; the paper only has announced ones)', () => {
  it('are detected at the third response time of five times the predicted one at the latest', ({
    expect,
  }) => {
    for (const [ms, change] of [
      [1000, 'slower'],
      [40, 'faster'],
    ] as const) {
      const [k, found] = detectedAfter(() => ms)!
      expect(found).toBe(change)
      expect(k).toBeLessThanOrEqual(3)
    }
  })

  it('are not detected from a single outlier, however large', ({ expect }) => {
    expect(detectedAfter((k) => (k % 8 === 0 ? 60_000 : 195))).toBeNull()
  })

  it('are detected if a shift lasts: twice as much within 25 iterations', ({ expect }) => {
    const [k, found] = detectedAfter(() => 400)!
    expect(found).toBe('slower')
    expect(k).toBeGreaterThan(3)
    expect(k).toBeLessThanOrEqual(25)
  })

  it('are not detected in 1000 iterations that vary by a tenth around the curve', ({ expect }) => {
    const random = streams(5)('noise')
    expect(detectedAfter(() => 200 * (1 + 0.35 * (random.next() - 0.5)))).toBeNull()
  })

  it('ignore values that are not response times', ({ expect }) => {
    expect(watchChange(NO_CHANGE, 0, 200)).toEqual({
      watch: NO_CHANGE,
      found: null,
      outlier: false,
    })
    expect(watchChange(NO_CHANGE, 200, 0)).toEqual({
      watch: NO_CHANGE,
      found: null,
      outlier: false,
    })
  })

  it('count a value three spreads off as an outlier: 500 ms against a prediction of 200, but not 450', ({
    expect,
  }) => {
    // ln 2.5 = 0.916 is 3.05 spreads of 0.3, ln 2.25 = 0.811 is 2.7.
    expect(watchChange(NO_CHANGE, 500, 200).outlier).toBe(true)
    expect(watchChange(NO_CHANGE, 450, 200).outlier).toBe(false)
  })

  it('take ρ from where the curve has that response time, between 0.5 and 1.5', ({ expect }) => {
    // 120/s now answer as 150/s did: ρ = 0.8.
    expect(ratioFrom(120, 150, 'slower')).toBe(0.8)
    expect(ratioFrom(120, 1e9, 'slower')).toBe(0.5)
    expect(ratioFrom(150, 120, 'faster')).toBe(1.25)
    expect(ratioFrom(150, 0, 'faster')).toBe(1.5)
    expect(ratioFrom(120, 119, 'slower')).toBe(0.95)
  })
})
