/** Linear algebra for two states and one input. */

export type Vector2 = readonly [number, number]
export type Matrix2 = readonly [Vector2, Vector2]

export interface LqrDesign {
  /** x(k+1) = A x(k) + B u(k). */
  readonly a: Matrix2
  readonly b: Vector2
  /** Cost Σ q₁x₁² + q₂x₂² + r u². */
  readonly q: Vector2
  readonly r: number
}

const MAX_ROUNDS = 60
const TOLERANCE = 1e-13

/**
 * The gain K of u = −Kx that minimises the cost over an infinite horizon. It follows from the solution of the
 * discrete Riccati equation P = Q + AᵀPA − AᵀPB (R + BᵀPB)⁻¹ BᵀPA; null if there is none. The doubling algorithm
 * (Chu et al. 2004) needs few rounds for any length of the tick, because n rounds equal 2ⁿ steps of the equation:
 * with W = I + GP, P ← P + AᵀPW⁻¹A, G ← G + AG(I + PG)⁻¹Aᵀ, A ← AW⁻¹A, from G = BR⁻¹Bᵀ and P = Q.
 */
export function lqrGain({ a, b, q, r }: LqrDesign): Vector2 | null {
  let p: Matrix2 = [
    [q[0], 0],
    [0, q[1]],
  ]
  let ak = a
  let g: Matrix2 = [
    [(b[0] * b[0]) / r, (b[0] * b[1]) / r],
    [(b[0] * b[1]) / r, (b[1] * b[1]) / r],
  ]
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const step = multiply(inverse(add(IDENTITY, multiply(g, p))), ak)
    const next = symmetric(add(p, multiply(multiply(transpose(ak), p), step)))
    if (!next.flat().every(Number.isFinite)) return null
    if (distance(next, p) <= TOLERANCE * size(next)) return gainOf(next, a, b, r)
    const damped = multiply(g, inverse(add(IDENTITY, multiply(p, g))))
    const increment = multiply(multiply(ak, damped), transpose(ak))
    g = symmetric(add(g, increment))
    ak = multiply(ak, step)
    p = next
  }
  return null
}

/** K = (R + BᵀPB)⁻¹ BᵀPA. */
function gainOf(p: Matrix2, a: Matrix2, b: Vector2, r: number): Vector2 {
  const bp: Vector2 = [b[0] * p[0][0] + b[1] * p[1][0], b[0] * p[0][1] + b[1] * p[1][1]]
  const weight = r + bp[0] * b[0] + bp[1] * b[1]
  return [
    (bp[0] * a[0][0] + bp[1] * a[1][0]) / weight,
    (bp[0] * a[0][1] + bp[1] * a[1][1]) / weight,
  ]
}

/** A − BK. */
export function closedLoop(a: Matrix2, b: Vector2, k: Vector2): Matrix2 {
  return [
    [a[0][0] - b[0] * k[0], a[0][1] - b[0] * k[1]],
    [a[1][0] - b[1] * k[0], a[1][1] - b[1] * k[1]],
  ]
}

/** The largest magnitude of an eigenvalue. A loop is stable if it is below 1. */
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

const IDENTITY: Matrix2 = [
  [1, 0],
  [0, 1],
]

function add(x: Matrix2, y: Matrix2): Matrix2 {
  return [
    [x[0][0] + y[0][0], x[0][1] + y[0][1]],
    [x[1][0] + y[1][0], x[1][1] + y[1][1]],
  ]
}

function inverse(m: Matrix2): Matrix2 {
  const determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0]
  return [
    [m[1][1] / determinant, -m[0][1] / determinant],
    [-m[1][0] / determinant, m[0][0] / determinant],
  ]
}

/** Removes the asymmetry that rounding causes. */
function symmetric(m: Matrix2): Matrix2 {
  const offDiagonal = (m[0][1] + m[1][0]) / 2
  return [
    [m[0][0], offDiagonal],
    [offDiagonal, m[1][1]],
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
