import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  capacityRatio,
  isUsableSample,
  keptUpFraction,
  keptUpRateOf,
  percentileMs,
} from '../../src/learners/sample.ts'
import { histogramOf } from '../support/histogram.ts'
import { tick, times } from '../support/samples.ts'

describe('percentiles with failures', () => {
  const hundred = (served: number) => histogramOf(times(served, 100))

  it('rank failures above served requests: with 5 of 100 the p95 is the slowest served, with 6 it is a failure', ({
    expect,
  }) => {
    expect(percentileMs(hundred(95), 5, 95, 1000)).toBeLessThan(105)
    expect(percentileMs(hundred(94), 6, 95, 1000)).toBe(2000)
  })

  it('count a failure as twice the target, or as the slowest served request if that is slower', ({
    expect,
  }) => {
    expect(percentileMs([], 3, 95, 1000)).toBe(2000)
    const slow = histogramOf(times(10, 9000))
    expect(percentileMs(slow, 10, 95, 1000)).toBeGreaterThan(8900)
  })

  it('are null if no request completed', ({ expect }) => {
    expect(percentileMs([], 0, 95, 1000)).toBeNull()
  })

  it('never fall when a failure is added', ({ expect }) => {
    const anyTimes = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(anyTimes, fc.nat(20), fc.integer({ min: 1, max: 99 }), (timesMs, failed, p) => {
        const latency = histogramOf(timesMs)
        const before = percentileMs(latency, failed, p, 500)!
        expect(percentileMs(latency, failed + 1, p, 500)).toBeGreaterThanOrEqual(before)
      }),
    )
  })
})

describe('a sample gives', () => {
  it('the fraction of admitted requests that the origin kept up with: 60 served of 80 is 0.75', ({
    expect,
  }) => {
    const sample = tick({ admitted: 80, goodput: 60 })
    expect(keptUpFraction(sample)).toBe(0.75)
    expect(keptUpRateOf(sample)).toBe(60)
    expect(keptUpFraction(tick({ admitted: 80, goodput: 100 }))).toBe(1)
    expect(keptUpFraction(tick({ admitted: 0, goodput: 5 }))).toBe(1)
  })

  it('ρ of all announced changes: 20 to 10 and then 10 to 15 is 0.75', ({ expect }) => {
    expect(capacityRatio([])).toBe(1)
    const events = [
      { before: 20, after: 10 },
      { before: 10, after: 15 },
    ]
    expect(capacityRatio(events)).toBe(0.75)
  })

  it('a ρ of 1 for a capacity of 0, or for a ratio that can only be a mistake in the units', ({
    expect,
  }) => {
    expect(capacityRatio([{ before: 20, after: 0 }])).toBe(1)
    expect(capacityRatio([{ before: 0, after: 20 }])).toBe(1)
    expect(capacityRatio([{ before: 1, after: 5000 }])).toBe(1)
  })

  it('nothing if it is not a sample', ({ expect }) => {
    expect(isUsableSample(tick({ timesMs: [100] }))).toBe(true)
    expect(isUsableSample(null as never)).toBe(false)
    expect(isUsableSample({} as never)).toBe(false)
  })

  it('the dead time and what was told, if they are known and are numbers', ({ expect }) => {
    const sample = tick({ timesMs: [100] })
    expect(isUsableSample({ ...sample, deadTimeMs: 1900, told: 12.5 })).toBe(true)
    expect(isUsableSample({ ...sample, deadTimeMs: Number.NaN })).toBe(false)
    expect(isUsableSample({ ...sample, told: -1 })).toBe(false)
  })
})
