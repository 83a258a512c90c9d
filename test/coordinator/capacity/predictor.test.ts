import { describe, it } from 'vitest'
import { isHourRecord, Predictor } from '../../../src/coordinator/capacity/predictor.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** A day on which the rate at `hour` is 10 times the hour, each minute. */
const usualRate = (hour: number): number => 10 * (1 + hour)
const START = 20_000 * DAY

/** Sends 60 minutes of one rate. */
function observeHour(predictor: Predictor, fromMs: number, rate: number): void {
  for (let minute = 0; minute < 60; minute++) predictor.observe(rate, fromMs + minute * 60_000)
}

function afterDays(days: number, predictor = new Predictor()): Predictor {
  for (let day = 0; day < days; day++)
    for (let hour = 0; hour < 24; hour++)
      observeHour(predictor, START + day * DAY + hour * HOUR, usualRate(hour))
  return predictor
}

describe('the predictor (Urgaonkar et al. 2008, §5.1)', () => {
  it('predicts nothing for an hour of the day that it never saw', ({ expect }) => {
    const predictor = new Predictor()
    observeHour(predictor, START, 5)
    expect(predictor.peak(START)).toBeNull()
    expect(predictor.peak(START + DAY)).toBeCloseTo(5, 0)
    expect(predictor.peak(START + DAY + HOUR)).toBeNull()
  })

  it('has a peak for each hour of the day: the 95th percentile of the rates of earlier days', ({
    expect,
  }) => {
    const predictor = new Predictor()
    for (let day = 0; day < 5; day++)
      for (let minute = 0; minute < 60; minute++)
        predictor.observe(minute + 1, START + day * DAY + 9 * HOUR + minute * 60_000)
    // Rates 1 to 60, each five times: 95 % of them are at most 57. Buckets are 2.2 % wide.
    const peak = predictor.peak(START + 5 * DAY + 9 * HOUR)!
    expect(peak / 57).toBeGreaterThan(0.985)
    expect(peak / 57).toBeLessThan(1.015)
  })

  it('leaves out the extreme: one strange minute does not set the peak', ({ expect }) => {
    const predictor = afterDays(3)
    predictor.observe(100_000, START + 2 * DAY + 12 * HOUR)
    expect(predictor.peak(START + 3 * DAY + 12 * HOUR)! / usualRate(12)).toBeCloseTo(1, 1)
  })

  it('adds the mean positive error of the last three hours', ({ expect }) => {
    const predictor = afterDays(7)
    const today = START + 7 * DAY
    // Hours 9, 10, 11 are 30, 60 and 90 above the prediction: the mean is 60.
    for (const [hour, above] of [
      [9, 30],
      [10, 60],
      [11, 90],
    ] as const)
      observeHour(predictor, today + hour * HOUR, usualRate(hour) + above)
    const raw = predictor.rawPeak(today + 12 * HOUR)!
    expect(raw / usualRate(12)).toBeCloseTo(1, 1)
    expect((predictor.peak(today + 12 * HOUR)! - raw) / 60).toBeCloseTo(1, 1)
  })

  it('removes an error that lasts as a whole, not half of it', ({ expect }) => {
    const predictor = afterDays(7)
    const today = START + 7 * DAY
    for (let hour = 0; hour < 12; hour++)
      observeHour(predictor, today + hour * HOUR, usualRate(hour) + 100)
    expect(predictor.peak(today + 12 * HOUR)! / (usualRate(12) + 100)).toBeCloseTo(1, 1)
  })

  it('takes no notice of hours that were quieter than predicted', ({ expect }) => {
    const predictor = afterDays(7)
    const today = START + 7 * DAY
    for (const hour of [9, 10, 11]) observeHour(predictor, today + hour * HOUR, 1)
    expect(predictor.peak(today + 12 * HOUR)).toBe(predictor.rawPeak(today + 12 * HOUR))
  })

  it('tells weekdays apart after two weeks', ({ expect }) => {
    const predictor = new Predictor()
    const rateOn = (day: number): number => (day % 7 === 5 ? 500 : 100)
    for (let day = 0; day < 21; day++) observeHour(predictor, START + day * DAY, rateOn(day))
    expect(predictor.rawPeak(START + 21 * DAY)! / 100).toBeCloseTo(1, 1)
    expect(predictor.rawPeak(START + 26 * DAY)! / 500).toBeCloseTo(1, 1)
    const oneWeek = new Predictor()
    for (let day = 0; day < 7; day++) observeHour(oneWeek, START + day * DAY, rateOn(day))
    // One of seven days: more than five of 100 minutes had the high rate.
    expect(oneWeek.rawPeak(START + 7 * DAY)! / 500).toBeCloseTo(1, 1)
  })

  it('looks ahead over several hours', ({ expect }) => {
    const predictor = afterDays(2)
    const now = START + 2 * DAY + 9 * HOUR
    const peak = predictor.highestPeak(now, now + 2 * HOUR)!
    expect(peak / usualRate(11)).toBeCloseTo(1, 1)
  })

  it('is bounded: 28 days of hours, whatever the rates are', ({ expect }) => {
    const predictor = afterDays(40)
    predictor.forget(START + 40 * DAY)
    expect(predictor.records).toBe(28 * 24)
    for (const rate of [0, 1e-9, 1e12, Number.MAX_VALUE]) {
      const record = predictor.observe(rate, START)
      expect(isHourRecord(record)).toBe(true)
      expect(record.rates.length).toBeLessThanOrEqual(2 * 60)
    }
  })

  it('predicts the same after a restart, and ignores damaged records', ({ expect }) => {
    const records = new Map<number, unknown>()
    const predictor = new Predictor()
    for (let hour = 0; hour < 72; hour++)
      for (let minute = 0; minute < 60; minute += 10) {
        const record = predictor.observe(hour % 24, START + hour * HOUR + minute * 60_000)
        records.set(record.hour, JSON.parse(JSON.stringify(record)))
      }
    const damaged = [
      null,
      {},
      { hour: 1.5, rates: [] },
      { hour: 1, rates: [1] },
      { hour: 2, rates: [1, -1] },
    ]
    const restored = new Predictor({}, [...records.values(), ...damaged])
    for (let hour = 0; hour < 24; hour++) {
      const at = START + 3 * DAY + hour * HOUR
      expect(restored.peak(at)).toBe(predictor.peak(at))
    }
  })
})
