import { pieces, type RatePiece, type RateProfile } from '../clients/rates.ts'
import type { WorldSpec } from './spec.ts'

/** A wave is followed by straight lines, so many to a period. */
const LINES_PER_WAVE = 16

/** First requests of visitors per second over the whole run. */
export function arrivalRate({ traffic, trouble, onsetS, seconds }: WorldSpec): RateProfile {
  // Where servers are still away at first, calm is what the others can take.
  const present = trouble.kind === 'return' ? trouble.left : 1
  const calm = traffic.calm * traffic.saturationRate * present
  const peak = traffic.overload * traffic.saturationRate
  const onsetMs = onsetS * 1000
  const before: readonly RatePiece[] = onsetMs > 0 ? [{ fromMs: 0, rate: calm }] : []
  return pieces([...before, ...surge()])

  function surge(): readonly RatePiece[] {
    const { arrivals } = traffic
    switch (arrivals.shape) {
      case 'step':
        return [{ fromMs: onsetMs, rate: peak }]
      case 'ramp':
        return [
          { fromMs: onsetMs, rate: calm, toRate: peak },
          { fromMs: onsetMs + arrivals.riseS * 1000, rate: peak },
        ]
      case 'pulses': {
        const { periodS, duty } = arrivals
        return periods(periodS).flatMap((fromMs) => [
          { fromMs, rate: peak },
          { fromMs: fromMs + duty * periodS * 1000, rate: calm },
        ])
      }
      case 'waves': {
        const stepMs = (arrivals.periodS * 1000) / LINES_PER_WAVE
        const rateAt = (i: number) =>
          calm + ((peak - calm) * (1 - Math.cos((2 * Math.PI * i) / LINES_PER_WAVE))) / 2
        return periods(arrivals.periodS).flatMap((fromMs) =>
          Array.from({ length: LINES_PER_WAVE }, (_, i) => ({
            fromMs: fromMs + i * stepMs,
            rate: rateAt(i),
            toRate: rateAt(i + 1),
          })),
        )
      }
    }
  }

  function periods(periodS: number): readonly number[] {
    const count = Math.ceil((seconds - onsetS) / periodS)
    return Array.from({ length: count }, (_, i) => onsetMs + i * periodS * 1000)
  }
}
