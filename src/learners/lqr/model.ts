import { atLeastZero, number, object, type StateSchema } from '../../lib/state-schema.ts'
import type { LqrPoint } from './operating-point.ts'
import type { LqrDesign } from './riccati.ts'

/**
 * A least-squares fit of y = a·x + b·u + c with exponential forgetting. It is stored as means and as sums of
 * products of deviations, from which follows whether the data determine the coefficients.
 */
export interface Fit {
  /** Number of rows; older rows count less. */
  readonly rows: number
  readonly x: number
  readonly u: number
  readonly y: number
  /** Sums of products of deviations. */
  readonly xx: number
  readonly xu: number
  readonly uu: number
  readonly xy: number
  readonly uy: number
  readonly yy: number
}

export const EMPTY_FIT: Fit = {
  rows: 0,
  x: 0,
  u: 0,
  y: 0,
  xx: 0,
  xu: 0,
  uu: 0,
  xy: 0,
  uy: 0,
  yy: 0,
}

export const isFit: StateSchema = object({
  ...Object.fromEntries(Object.keys(EMPTY_FIT).map((name) => [name, number])),
  rows: atLeastZero,
})

interface Row {
  readonly x: number
  readonly u: number
  readonly y: number
}

/** The first rows are added without a check of their variation. */
const FIRST_ROWS = 5

interface FitRules {
  /** Weight that the old rows keep when a new row is added. */
  readonly memory: number
  /** The input of a row must differ from the mean input by this fraction of the mean. */
  readonly excitation: number
}

/**
 * Recursive least squares. A row with an input close to the mean carries no information, so it is skipped and the
 * old rows keep their weight. Otherwise a night of constant traffic would replace the model with noise.
 */
export function addRow(fit: Fit, row: Row, { memory, excitation }: FitRules): Fit {
  const moved = Math.abs(row.u - fit.u) >= excitation * fit.u
  if (fit.rows >= FIRST_ROWS && !moved) return fit
  const old = fit.rows * memory
  const rows = old + 1
  const dx = row.x - fit.x
  const du = row.u - fit.u
  const dy = row.y - fit.y
  const weight = old / rows
  return {
    rows,
    x: fit.x + dx / rows,
    u: fit.u + du / rows,
    y: fit.y + dy / rows,
    xx: memory * fit.xx + weight * dx * dx,
    xu: memory * fit.xu + weight * dx * du,
    uu: memory * fit.uu + weight * du * du,
    xy: memory * fit.xy + weight * dx * dy,
    uy: memory * fit.uy + weight * du * dy,
    yy: memory * fit.yy + weight * dy * dy,
  }
}

/** With fewer rows there is no solution. */
const ENOUGH_ROWS = 20
/** Smallest determinant relative to xx·uu. Below this, rounding errors dominate. */
const SMALLEST_DETERMINANT = 1e-6
/** The effect of the input must be at least this many standard errors from 0. */
const SIGNIFICANT = 2
/** Largest standard error of the lag coefficient a. */
const LARGEST_LAG_ERROR = 0.2

/** The coefficients, or null if the data do not determine them. */
export function solve(fit: Fit, excitation: number): { a: number; b: number } | null {
  const determinant = fit.xx * fit.uu - fit.xu * fit.xu
  if (fit.rows < ENOUGH_ROWS) return null
  if (fit.uu / fit.rows < (excitation * fit.u) ** 2) return null
  if (!(determinant > SMALLEST_DETERMINANT * fit.xx * fit.uu)) return null
  const a = (fit.xy * fit.uu - fit.uy * fit.xu) / determinant
  const b = (fit.uy * fit.xx - fit.xy * fit.xu) / determinant
  const residual = Math.max(0, fit.yy - a * fit.xy - b * fit.uy)
  const variance = residual / (fit.rows - 3) / determinant
  if (Math.sqrt(variance * fit.uu) > LARGEST_LAG_ERROR) return null
  return Math.abs(b) >= SIGNIFICANT * Math.sqrt(variance * fit.xx) ? { a, b } : null
}

/**
 * The model of eq. 4 in relative deviations from the operating point: x₁ = (R − R̄)/R̄, x₂ = (Λ̄ − Λ)/Λ̄,
 * u = (λ̄ − λ)/λ̄. A is diagonal by construction (eq. 7). null: the data do not determine a model, or the model
 * contradicts queueing (response time falls with load, or goodput falls with admissions).
 */
export function modelOf(
  response: Fit,
  goodput: Fit,
  point: LqrPoint,
  excitation: number,
): Pick<LqrDesign, 'a' | 'b'> | null {
  const r = solve(response, excitation)
  const g = solve(goodput, excitation)
  if (r === null || g === null) return null
  if (!(isLag(r.a) && isLag(g.a) && r.b > 0 && g.b > 0)) return null
  return {
    a: [
      [r.a, 0],
      [0, g.a],
    ],
    b: [(-r.b * point.rate) / point.responseMs, (g.b * point.rate) / point.goodput],
  }
}

/** A lag of 0 may be measured as slightly negative. */
function isLag(a: number): boolean {
  return a > -0.2 && a < 1
}
