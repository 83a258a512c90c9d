import { atLeastZero, flag, object, type Shape } from '../shape.ts'

/** θ: where the origin is to be held. Rates in the unit of the limit, goodput in requests/s. */
export interface LqrPoint {
  readonly rate: number
  readonly responseMs: number
  readonly goodput: number
}

/** The point of the highest power so far (eq. 1), found in passing where the paper makes an experiment. */
export interface PowerPoint extends LqrPoint {
  /** Goodput per response time; capacity and service time, which eq. 1 divides by, cancel in comparisons. */
  readonly power: number
  /** Was more load seen to give less power, or to break the SLA? Before that, more may be better. */
  readonly bracketed: boolean
}

export const isPowerPoint: Shape = object({
  rate: atLeastZero,
  responseMs: atLeastZero,
  goodput: atLeastZero,
  power: atLeastZero,
  bracketed: flag,
})

/** A rate must be so much higher to count as more load. */
const MORE = 1.05

export interface Seen {
  readonly at: LqrPoint
  readonly keepsSla: boolean
  /** Did the limit hold somebody back? Without that, a low power says nothing of the origin. */
  readonly binding: boolean
  /** Part of the remembered power that is given up in such an interval. */
  readonly forget: number
}

export function learnPoint(best: PowerPoint | null, seen: Seen): PowerPoint | null {
  const { at, keepsSla, binding, forget } = seen
  const power = at.goodput / at.responseMs
  const usable = at.rate > 0 && at.goodput > 0 && at.responseMs > 0
  if (best === null) return usable && keepsSla ? { ...at, power, bracketed: false } : null
  if (usable && keepsSla && power > best.power) {
    const more = at.rate > MORE * best.rate
    return { ...at, power, bracketed: best.bracketed && !more }
  }
  // A power that the origin no longer gives is believed less and less, so that the point can move down.
  const kept = binding ? best.power * (1 - forget) : best.power
  const bracketed = best.bracketed || !keepsSla || at.rate > MORE * best.rate
  return { ...best, power: kept, bracketed }
}

/** An announced change: all rates in proportion to ρ, the response time at the same relative load unchanged. */
export function scalePoint(point: PowerPoint, ratio: number): PowerPoint {
  return {
    ...point,
    rate: point.rate * ratio,
    goodput: point.goodput * ratio,
    power: point.power * ratio,
  }
}
