import { Predictor } from '../../src/coordinator/capacity/predictor.ts'
import { streams } from '../engine/random.ts'
import { START_MS } from '../provisioning/planned.ts'

/**
 * A trace like that of the 1998 World Cup's site (Urgaonkar et al. 2008, §8.3): calm at first, then a match. A day is 20
 * minutes here, with four intervals of 5 minutes as the paper's hours; typical days differ by some per cent.
 */

export const INTERVAL_S = 300
export const INTERVALS = 4
export const DAY_S = INTERVAL_S * INTERVALS

/** Sessions/s at the peak of a typical day. */
const PEAK = 2
/** Parts of it, each minute. */
const TYPICAL = [
  ...[0.3, 0.3, 0.32, 0.35, 0.38, 0.4, 0.42, 0.45, 0.48, 0.52],
  ...[0.6, 0.72, 0.84, 0.93, 1, 1, 0.98, 0.9, 0.85, 0.8],
]

/** Part of a factor that applies in each minute: a day that differs does so more and more in its first half. */
const GROWTH = TYPICAL.map((_, minute) => Math.min(1, minute / 9))

/** `times`: how many times as high as a typical one the peak of the day is. */
export function dayRates(times: number, seed: number): Readonly<Record<number, number>> {
  const random = streams(seed)('day')
  const rates = TYPICAL.map((rate, minute) => {
    const noise = 1 + 0.06 * (random.next() - 0.5)
    return [60 * minute, PEAK * rate * noise * (1 + (times - 1) * GROWTH[minute]!)] as const
  })
  return Object.fromEntries(rates)
}

/** What a predictor has learned from the five typical days before. */
export function usualPredictor(seed: number): Predictor {
  const predictor = new Predictor({
    ...{ hourMs: INTERVAL_S * 1000, hoursPerDay: INTERVALS, correctionHours: 1 },
  })
  for (let day = 1; day <= 5; day++)
    for (const [fromS, rate] of Object.entries(dayRates(1, 100 * seed + day)))
      predictor.observe(rate, START_MS + (Number(fromS) - day * DAY_S) * 1000)
  return predictor
}

/** The highest rate of an interval, from 0 on. */
export function peakOf(rates: Readonly<Record<number, number>>, interval: number): number {
  const within = Object.entries(rates).filter(
    ([fromS]) => Math.floor(Number(fromS) / INTERVAL_S) === interval,
  )
  return Math.max(...within.map(([, rate]) => rate))
}
