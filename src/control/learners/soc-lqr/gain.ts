/**
 * The correction around the operating point: a discrete LQR (Mathur et al., §III) on normalised states.
 *
 * ν = (load − L)/L follows the admissions with the lag D of the sessions, ω = wait/W adds up what is too much:
 *   ν' = e^(−dt/D) ν + (1 − e^(−dt/D)) v        ω' = ω + (dt/W) ν        v = (λ − λ*)/λ* = −(kν ν + kω ω)
 * Everything but dt/D and dt/W is without unit, and those are measured: so the weights are the same everywhere.
 */
export interface Gain {
  readonly load: number
  readonly wait: number
}

export interface GainWeights {
  readonly load: number
  readonly wait: number
  readonly control: number
}

const MOST_DOUBLINGS = 40

export function normalisedGain(
  times: { readonly lagS: number; readonly slackS: number; readonly tickS: number },
  weights: GainWeights,
): Gain {
  const keep = Math.exp(-times.tickS / Math.max(times.lagS, 1e-6))
  const pile = times.tickS / times.slackS
  const [p11, p12] = riccati(keep, pile, weights)
  const push = 1 - keep
  // K = (R + BᵀPB)⁻¹ BᵀPA with B = [push, 0]ᵀ and A = [[keep, 0], [pile, 1]]
  const scale = push / (weights.control + push * push * p11)
  return { load: scale * (p11 * keep + p12 * pile), wait: scale * p12 }
}

type Square = readonly [number, number, number, number]

/**
 * First row of the solution P of the Riccati equation, by the structure-preserving doubling algorithm:
 * value iteration would need some 450 rounds where the queue adds up slowly, doubling needs ten.
 */
function riccati(keep: number, pile: number, weights: GainWeights): readonly [number, number] {
  const push = 1 - keep
  let a: Square = [keep, 0, pile, 1]
  let g: Square = [(push * push) / weights.control, 0, 0, 0]
  let p: Square = [weights.load, 0, 0, weights.wait]
  for (let round = 0; round < MOST_DOUBLINGS; round++) {
    const inverse = invert(plus(IDENTITY, times(g, p)))
    const aInverse = times(a, inverse)
    const grown = plus(p, times(times(transpose(a), times(p, inverse)), a))
    g = plus(g, times(times(aInverse, g), transpose(a)))
    a = times(aInverse, a)
    const settled = Math.abs(grown[0] - p[0]) <= 1e-12 * grown[0]
    p = grown
    if (settled) break
  }
  return [p[0], p[1]]
}

const IDENTITY: Square = [1, 0, 0, 1]

function times(x: Square, y: Square): Square {
  return [
    x[0] * y[0] + x[1] * y[2],
    x[0] * y[1] + x[1] * y[3],
    x[2] * y[0] + x[3] * y[2],
    x[2] * y[1] + x[3] * y[3],
  ]
}

function plus(x: Square, y: Square): Square {
  return [x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]]
}

function transpose(x: Square): Square {
  return [x[0], x[2], x[1], x[3]]
}

function invert(x: Square): Square {
  const determinant = x[0] * x[3] - x[1] * x[2]
  return [x[3] / determinant, -x[1] / determinant, -x[2] / determinant, x[0] / determinant]
}
