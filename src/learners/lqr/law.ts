import type { LqrPoint } from './operating-point.ts'
import type { LqrOptions } from './options.ts'
import { closedLoop, type LqrDesign, lqrGain, spectralRadius, type Vector2 } from './riccati.ts'

/** The gain and the control law of Mathur et al. 2009, §III. */

/**
 * The paper divides each cost by the square of the largest value in the operating range. These values follow from
 * eq. 9: √(7/8.75e-6) = 894 ms, √(1/5e-3) = 14.1/s, √(1/7.69e-7) = 1140 tokens/s. θ is (400 ms, 9.6/s, 1000
 * tokens/s). Divided by θ, the values apply to any unit.
 */
const RANGE = {
  response: Math.sqrt(7 / 8.75e-6) / 400,
  goodput: Math.sqrt(1 / 5e-3) / 9.6,
  rate: Math.sqrt(1 / 7.69e-7) / 1000,
}

/** Eq. 7 divided by θ. Its input is in tokens/s, its states are in ms and requests/s. */
export const BUILT_IN_MODEL: Pick<LqrDesign, 'a' | 'b'> = {
  a: [
    [0.69321, 0],
    [0, 0.32734],
  ],
  b: [(-0.0917293 * 1000) / 400, (0.0066773 * 1000) / 9.6],
}

/** The gain for a model divided by θ; null if there is none, or if the closed loop would not be stable. */
export function gainFor(model: Pick<LqrDesign, 'a' | 'b'>, o: LqrOptions): Vector2 | null {
  const gain = lqrGain({
    ...model,
    q: [o.weightResponse / RANGE.response ** 2, o.weightGoodput / RANGE.goodput ** 2],
    r: o.weightRate / RANGE.rate ** 2,
  })
  if (gain === null) return null
  return spectralRadius(closedLoop(model.a, model.b, gain)) < 1 ? gain : null
}

/** Eq. 6, u = −Kx, with u = (λ̄ − λ)/λ̄. The limit stays between floor and ceiling. */
export function lqrLimit(
  gain: Vector2,
  { responseMs, goodput }: Pick<LqrPoint, 'responseMs' | 'goodput'>,
  point: LqrPoint,
  o: LqrOptions,
): number {
  const x1 = (responseMs - point.responseMs) / point.responseMs
  const x2 = (point.goodput - goodput) / point.goodput
  const fraction = 1 + gain[0] * x1 + gain[1] * x2
  return point.rate * Math.min(Math.max(fraction, o.floor), o.ceiling)
}
