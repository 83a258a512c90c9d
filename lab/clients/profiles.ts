import { pieces, type RatePiece, type RateProfile } from './rates.ts'

/** Rates by the second at which they start: `steps({ 0: 1.5, 600: 15 })`. */
export function steps(rates: Readonly<Record<number, number>>): RateProfile {
  return pieces(
    Object.entries(rates).map(([seconds, rate]) => ({ fromMs: Number(seconds) * 1000, rate })),
  )
}

/** A linear change from one rate to another. */
export function ramp(options: {
  readonly from: number
  readonly to: number
  readonly startMs: number
  readonly endMs: number
}): RateProfile {
  const { from, to, startMs, endMs } = options
  const before: RatePiece[] = startMs > 0 ? [{ fromMs: 0, rate: from }] : []
  return pieces([
    ...before,
    { fromMs: startMs, rate: from, toRate: to },
    { fromMs: endMs, rate: to },
  ])
}

/** Exponential and cosine rates are approximated by straight lines of at most this length. */
const LINE_MS = 10_000

/**
 * A flash crowd: from `startMs` the rate doubles repeatedly up to its peak, stays there, and halves
 * back.
 */
export function flashCrowd(options: {
  readonly base: number
  readonly peak: number
  readonly startMs: number
  readonly doublingMs: number
  readonly holdMs: number
  /** @default the same as the doubling time */
  readonly halvingMs?: number
}): RateProfile {
  const { base, peak, startMs, doublingMs, holdMs, halvingMs = doublingMs } = options
  const doublings = Math.log2(peak / base)
  const upMs = doublings * doublingMs
  const downMs = doublings * halvingMs
  const peakMs = startMs + upMs
  return pieces([
    ...(startMs > 0 ? [{ fromMs: 0, rate: base }] : []),
    ...lines(startMs, upMs, (ms) => base * 2 ** (ms / doublingMs)),
    { fromMs: peakMs, rate: peak },
    ...lines(peakMs + holdMs, downMs, (ms) => peak * 2 ** (-ms / halvingMs)),
    { fromMs: peakMs + holdMs + downMs, rate: base },
  ])
}

/** Daily cycle: a cosine around the mean, highest at `peakMs` of each day. */
export function dailyCycle(options: {
  readonly mean: number
  /** Amplitude as a share of the mean, at most 1. */
  readonly swing: number
  readonly peakMs: number
  readonly days: number
  /** Simulated days may be shorter. @default 24 h */
  readonly dayMs?: number
}): RateProfile {
  const { mean, swing, peakMs, days, dayMs = 86_400_000 } = options
  const rateAt = (ms: number) =>
    mean * (1 + swing * Math.cos((2 * Math.PI * (ms - peakMs)) / dayMs))
  const endMs = days * dayMs
  return pieces([...lines(0, endMs, rateAt), { fromMs: endMs, rate: rateAt(endMs) }])
}

/** Approximates a curve by straight lines. */
function lines(startMs: number, lengthMs: number, rateAt: (ms: number) => number): RatePiece[] {
  const count = Math.max(1, Math.ceil(lengthMs / LINE_MS))
  const step = lengthMs / count
  return Array.from({ length: count }, (_, i) => ({
    fromMs: startMs + i * step,
    rate: rateAt(i * step),
    toRate: rateAt((i + 1) * step),
  }))
}
