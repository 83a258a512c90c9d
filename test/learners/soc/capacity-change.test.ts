import { describe, it } from 'vitest'
import { QUIET, ratioFrom, watchChange } from '../../../src/learners/soc/capacity-change.ts'
import { coins } from '../../support/queue.ts'

/** How many values in a row it takes until the watch calls; null: it does not within 1000. */
function callsAfter(measured: (k: number) => number, foretold = 200): [number, string] | null {
  let watch = QUIET
  for (let k = 1; k <= 1000; k++) {
    const seen = watchChange(watch, measured(k), foretold)
    if (seen.found !== null) return [k, seen.found]
    watch = seen.watch
  }
  return null
}

describe('unannounced changes (ours; the paper only has announced ones)', () => {
  it('calls at the second response time of five times what the curve foretells', ({ expect }) => {
    // ln 5 = 1.61 is 5.4 spreads of 0.3, taken as 4; less the drift of 0.5 that is 3.5, and twice that 7.
    expect(callsAfter(() => 1000)).toEqual([2, 'slower'])
    expect(callsAfter(() => 40)).toEqual([2, 'faster'])
  })

  it('does not call for a single one, however wild', ({ expect }) => {
    expect(callsAfter((k) => (k % 8 === 0 ? 60_000 : 195))).toBeNull()
  })

  it('calls for a small shift that lasts: 30 % more in 20 iterations', ({ expect }) => {
    // ln 1.3 = 0.262 is 0.87 spreads: 0.37 a step at first, more as the spread narrows.
    const [k, found] = callsAfter(() => 260)!
    expect(found).toBe('slower')
    expect(k).toBeGreaterThan(3)
    expect(k).toBeLessThanOrEqual(20)
  })

  it('stays quiet for 1000 iterations that scatter by a tenth around the curve', ({ expect }) => {
    const coin = coins(5)
    expect(callsAfter(() => 200 * (1 + 0.35 * (coin() - 0.5)))).toBeNull()
  })

  it('sets nothing by values that are no response times', ({ expect }) => {
    expect(watchChange(QUIET, 0, 200)).toEqual({ watch: QUIET, found: null, wild: false })
    expect(watchChange(QUIET, 200, 0)).toEqual({ watch: QUIET, found: null, wild: false })
  })

  it('marks what is three spreads off as wild: 500 ms where 200 are foretold, but not 450', ({
    expect,
  }) => {
    // ln 2.5 = 0.916 is 3.05 spreads of 0.3, ln 2.25 = 0.811 is 2.7.
    expect(watchChange(QUIET, 500, 200).wild).toBe(true)
    expect(watchChange(QUIET, 450, 200).wild).toBe(false)
  })

  it('takes ρ from where the curve has that response time, halving or 1.5 times at the most', ({
    expect,
  }) => {
    // 120/s now answer as 150/s did: ρ = 0.8.
    expect(ratioFrom(120, 150, 'slower')).toBe(0.8)
    expect(ratioFrom(120, 1e9, 'slower')).toBe(0.5)
    expect(ratioFrom(150, 120, 'faster')).toBe(1.25)
    expect(ratioFrom(150, 0, 'faster')).toBe(1.5)
    expect(ratioFrom(120, 119, 'slower')).toBe(0.95)
  })
})
