/** A rate that changes over time, per second. */
export interface RateProfile {
  rateAt(ms: number): number
  /**
   * Time at which this many arrivals are due on average, counted from `fromMs`; infinite: never.
   */
  whenDue(fromMs: number, arrivals: number): number
}

/** This rate from `fromMs` on. With `toRate` it changes linearly until the next piece. */
export interface RatePiece {
  readonly fromMs: number
  readonly rate: number
  readonly toRate?: number
}

/** Linear pieces, ascending by time. The last rate stays. */
export function pieces(list: readonly RatePiece[]): RateProfile {
  if (list.length === 0 || list[0]!.fromMs !== 0)
    throw new RangeError('the first piece must start at 0')
  const endOf = (i: number) => list[i + 1]?.fromMs ?? Number.POSITIVE_INFINITY
  const slopeOf = (i: number) => {
    const { fromMs, rate, toRate } = list[i]!
    return toRate === undefined || i + 1 === list.length ? 0 : (toRate - rate) / (endOf(i) - fromMs)
  }
  // Arrivals ask in order of time, so the search continues where it ended.
  let current = 0
  const seek = (ms: number) => {
    if (ms < list[current]!.fromMs) current = 0
    while (ms >= endOf(current)) current++
    return current
  }
  const rateIn = (i: number, ms: number) => list[i]!.rate + slopeOf(i) * (ms - list[i]!.fromMs)

  return {
    rateAt: (ms) => rateIn(seek(ms), ms),
    whenDue(fromMs, arrivals) {
      let left = arrivals * 1000 // rates are per second, time is in milliseconds
      let ms = fromMs
      for (let i = seek(ms); ; i++) {
        const rate = rateIn(i, ms)
        const lengthMs = endOf(i) - ms
        const slope = slopeOf(i)
        const area = slope === 0 ? rate * lengthMs : (rate + (slope * lengthMs) / 2) * lengthMs
        if (area >= left) {
          // rate t + slope t²/2 = left, solved in the form that loses no digits when the slope is
          // small
          return ms + (2 * left) / (rate + Math.sqrt(Math.max(0, rate * rate + 2 * slope * left)))
        }
        if (i + 1 === list.length) return Number.POSITIVE_INFINITY
        left -= area
        ms = endOf(i)
      }
    },
  }
}

export function constantRate(rate: number): RateProfile {
  return pieces([{ fromMs: 0, rate }])
}
