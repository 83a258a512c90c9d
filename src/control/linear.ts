/** The little linear algebra that control needs: two states, one input, written out. */

export type Pair = readonly [number, number]
export type Matrix2 = readonly [Pair, Pair]

export interface LqrDesign {
  /** x(k+1) = A x(k) + B u(k). */
  readonly a: Matrix2
  readonly b: Pair
  /** Cost Σ q₁x₁² + q₂x₂² + r u². */
  readonly q: Pair
  readonly r: number
}

const MOST_ROUNDS = 10_000
const SETTLED = 1e-13

/**
 * The gain K of u = −Kx that minimises the cost for ever: the discrete Riccati equation
 * P = Q + AᵀPA − AᵀPB (R + BᵀPB)⁻¹ BᵀPA, iterated until it settles; null when it does not.
 */
export function lqrGain({ a, b, q, r }: LqrDesign): Pair | null {
  let p: Matrix2 = [
    [q[0], 0],
    [0, q[1]],
  ]
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const gain = gainOf(p, a, b, r)
    const next = riccatiStep(p, a, b, q, gain)
    if (!next.flat().every(Number.isFinite)) return null
    if (distance(next, p) <= SETTLED * size(next)) return gainOf(next, a, b, r)
    p = next
  }
  return null
}

/** K = (R + BᵀPB)⁻¹ BᵀPA. */
function gainOf(p: Matrix2, a: Matrix2, b: Pair, r: number): Pair {
  const bp: Pair = [b[0] * p[0][0] + b[1] * p[1][0], b[0] * p[0][1] + b[1] * p[1][1]]
  const weight = r + bp[0] * b[0] + bp[1] * b[1]
  return [
    (bp[0] * a[0][0] + bp[1] * a[1][0]) / weight,
    (bp[0] * a[0][1] + bp[1] * a[1][1]) / weight,
  ]
}

/** Q + AᵀP(A − BK), made symmetric against rounding. */
function riccatiStep(p: Matrix2, a: Matrix2, b: Pair, q: Pair, k: Pair): Matrix2 {
  const next = multiply(multiply(transpose(a), p), closedLoop(a, b, k))
  const across = (next[0][1] + next[1][0]) / 2
  return [
    [q[0] + next[0][0], across],
    [across, q[1] + next[1][1]],
  ]
}

/** A − BK. */
export function closedLoop(a: Matrix2, b: Pair, k: Pair): Matrix2 {
  return [
    [a[0][0] - b[0] * k[0], a[0][1] - b[0] * k[1]],
    [a[1][0] - b[1] * k[0], a[1][1] - b[1] * k[1]],
  ]
}

/** The largest magnitude of an eigenvalue; a loop is stable below 1. */
export function spectralRadius(m: Matrix2): number {
  const half = (m[0][0] + m[1][1]) / 2
  const determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0]
  const root = half * half - determinant
  return root >= 0 ? Math.abs(half) + Math.sqrt(root) : Math.sqrt(determinant)
}

function multiply(x: Matrix2, y: Matrix2): Matrix2 {
  return [
    [x[0][0] * y[0][0] + x[0][1] * y[1][0], x[0][0] * y[0][1] + x[0][1] * y[1][1]],
    [x[1][0] * y[0][0] + x[1][1] * y[1][0], x[1][0] * y[0][1] + x[1][1] * y[1][1]],
  ]
}

function transpose(m: Matrix2): Matrix2 {
  return [
    [m[0][0], m[1][0]],
    [m[0][1], m[1][1]],
  ]
}

function distance(x: Matrix2, y: Matrix2): number {
  return size([
    [x[0][0] - y[0][0], x[0][1] - y[0][1]],
    [x[1][0] - y[1][0], x[1][1] - y[1][1]],
  ])
}

function size(m: Matrix2): number {
  return Math.max(...m.flat().map(Math.abs))
}
