import { describe, it } from 'vitest'
import {
  type Baseline,
  type BaselineEvidence,
  baselineTailS,
  baselineVariation,
  NO_BASELINE,
  observeBaseline,
} from '../../../src/learners/soc-lqr/baseline.ts'
import { bucketFromMs, bucketOf } from '../../../src/lib/histogram.ts'
import { histogramOf } from '../../support/histogram.ts'
import { times } from '../../support/samples.ts'

/** An interval of 100 completions of a second each, without a queue; the target is 5 s. */
const QUIET: BaselineEvidence = {
  meanS: 1,
  served: 100,
  rate: 20,
  latency: histogramOf(times(100, 1000)),
  targetS: 5,
  queueing: 0,
  late: false,
  givenUp: 0,
}

/** A second, from 10,000 completions. */
const KNOWN: Baseline = {
  ...NO_BASELINE,
  meanS: 1,
  seen: 10_000,
  shape: histogramOf(times(1000, 1000)),
}

describe('the response time without queueing, S0', () => {
  it('is the mean of the first 500 completions: 300 of 0.7 s and 200 of 1.2 s are 0.9 s', ({
    expect,
  }) => {
    const early = observeBaseline(NO_BASELINE, { ...QUIET, served: 300, meanS: 0.7 })
    expect(observeBaseline(early, { ...QUIET, served: 200, meanS: 1.2 }).meanS).toBeCloseTo(0.9, 12)
  })

  it('is half the target at the most: overload from the start does not pass for slow service', ({
    expect,
  }) => {
    expect(observeBaseline(NO_BASELINE, { ...QUIET, meanS: 40 }).meanS).toBe(2.5)
  })

  it('falls by 15 % of the difference an interval, and rises by 2 %', ({ expect }) => {
    expect(observeBaseline(KNOWN, { ...QUIET, meanS: 0.6 }).meanS).toBeCloseTo(0.94, 12)
    expect(observeBaseline(KNOWN, { ...QUIET, meanS: 1.5 }).meanS).toBeCloseTo(1.01, 12)
  })

  it('creeps up by 0.4 % while something waits and the target is kept', ({ expect }) => {
    const waiting = { ...QUIET, meanS: 1.5, queueing: 0.5 }
    expect(observeBaseline(KNOWN, waiting).meanS).toBeCloseTo(1.004, 12)
  })

  it('is not learned in overload: nothing rises while more is late than is aimed at', ({
    expect,
  }) => {
    let baseline = KNOWN
    const overload = { ...QUIET, meanS: 9, queueing: 5, late: true }
    for (let n = 0; n < 1000; n++) baseline = observeBaseline(baseline, overload)
    expect(baseline.meanS).toBe(1)
    expect(baseline.shape).toEqual(KNOWN.shape)
  })

  it('finds a service that became slower for good: 1 s is 1.5 s, to 5 %, after 120 intervals', ({
    expect,
  }) => {
    // 1.5 − 0.5 · 0.98¹²⁰ = 1.456
    let baseline = KNOWN
    for (let n = 0; n < 120; n++) baseline = observeBaseline(baseline, { ...QUIET, meanS: 1.5 })
    expect(baseline.meanS).toBeCloseTo(1.5 - 0.5 * 0.98 ** 120, 9)
  })
})

/** Intervals of rate and mean response time, all over the target, which is 2 s here. */
function slow(...intervals: readonly (readonly [rate: number, meanS: number])[]): Baseline {
  return intervals.reduce<Baseline>(
    (baseline, [rate, meanS]) =>
      observeBaseline(baseline, { ...QUIET, rate, meanS, targetS: 2, queueing: 9, late: true }),
    KNOWN,
  )
}

describe('service that takes longer than the target (Mathur et al. 2009, §III-C and Fig. 3)', () => {
  it('is proven by idle servers: 20/s and then twice 8/s, all at 3 s, are no queue', ({
    expect,
  }) => {
    expect(slow([20, 3], [8, 3]).meanS).toBe(1)
    expect(slow([20, 3], [8, 3], [8, 3]).meanS).toBe(3)
  })

  it('may be reached from a queue that is gone: 20/s at 6 s, then 8/s at 3 s', ({ expect }) => {
    expect(slow([20, 6], [8, 3], [8, 3]).meanS).toBe(3)
  })

  it('is not proven by a queue: it keeps its servers busy, 20/s at 6, 3 and 2 s', ({ expect }) => {
    expect(slow([20, 6], [20, 3], [20, 2], [20, 2]).meanS).toBe(1)
  })

  it('is not proven by a loss: response times rise from 3 s to 6 s before 8/s are back at 3 s', ({
    expect,
  }) => {
    expect(slow([20, 3], [8, 6], [8, 3], [8, 3]).meanS).toBe(1)
  })

  it('is not proven where clients give up: then all take as long as patience lasts', ({
    expect,
  }) => {
    const leaving = { ...QUIET, meanS: 3, targetS: 2, queueing: 9, late: true, givenUp: 0.1 }
    const carried = observeBaseline(KNOWN, leaving)
    const idle = observeBaseline(carried, { ...leaving, rate: 8 })
    expect(observeBaseline(idle, { ...leaving, rate: 8 }).meanS).toBe(1)
  })
})

describe('its distribution', () => {
  it('is taken for exponential before it is known: P0 = S0 ln 20 = 3.0 s for S0 = 1 s', ({
    expect,
  }) => {
    expect(baselineTailS({ ...NO_BASELINE, meanS: 1 }, 0.05)).toBeCloseTo(2.9957, 4)
    expect(baselineVariation(NO_BASELINE)).toBe(1)
  })

  it('gives the time that all but a share stay below: of 90 at 1 s and 10 at 4 s, 4 s for 0.05', ({
    expect,
  }) => {
    const shape = histogramOf([...times(90, 1000), ...times(10, 4000)])
    // Half of the upper ten: the middle of the bucket of 4 s.
    const bucket = bucketOf(4000)
    const middleS = (bucketFromMs(bucket) + bucketFromMs(bucket + 1)) / 2000
    expect(baselineTailS({ ...KNOWN, shape }, 0.05)).toBeCloseTo(middleS, 9)
    expect(baselineTailS({ ...KNOWN, shape }, 0.2)).toBeLessThan(1.05)
  })

  it('has c² = 0 where all take as long, and 1 where half take nothing and half a second', ({
    expect,
  }) => {
    expect(baselineVariation(KNOWN)).toBeCloseTo(0, 12)
    // E(x²)/E(x)² − 1 = (1/2)/(1/4) − 1
    const halves = { ...KNOWN, shape: histogramOf([...times(50, 0.001), ...times(50, 1000)]) }
    expect(baselineVariation(halves)).toBeCloseTo(1, 2)
  })

  it('remembers about 2000 completions: after 20 intervals of 100 the old ones are 0.95²⁰ at most', ({
    expect,
  }) => {
    let baseline = { ...KNOWN, shape: histogramOf(times(2000, 4000)) }
    for (let n = 0; n < 20; n++) baseline = observeBaseline(baseline, QUIET)
    const old = baseline.shape[baseline.shape.indexOf(bucketOf(4000)) + 1]!
    expect(Math.abs(old / (2000 * 0.95 ** 20) - 1)).toBeLessThan(0.01)
  })
})
