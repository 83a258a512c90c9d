import type { Barycenter, StatPair } from './slices.ts'

/** f̂: points with rising rate and rising response time, joined by straight lines (Bartolini et al. 2009, §5.2). */
export type Curve = readonly CurvePoint[]

interface CurvePoint extends StatPair {
  readonly count: number
}

/**
 * Joins the benchmark point (0, RT_bench) and the reliable barycenters. More load does not make an origin faster,
 * so neighbours that do not rise are pooled until the curve rises.
 */
export function curveOf(benchMs: number, reliable: readonly Barycenter[]): Curve {
  const bench: CurvePoint = { rate: 0, responseMs: benchMs, count: 1 }
  const points: CurvePoint[] = []
  for (const { rate, responseMs, count } of [bench, ...reliable]) {
    let point: CurvePoint = { rate, responseMs, count }
    for (let last = points.at(-1); last; last = points.at(-1)) {
      if (point.responseMs > last.responseMs && point.rate > last.rate) break
      point = pool(last, point)
      points.pop()
    }
    points.push(point)
  }
  return points
}

function pool(a: CurvePoint, b: CurvePoint): CurvePoint {
  const count = a.count + b.count
  return {
    count,
    rate: (a.rate * a.count + b.rate * b.count) / count,
    responseMs: (a.responseMs * a.count + b.responseMs * b.count) / count,
  }
}

/** f̂(λ). Constant below the first point. Beyond the last point the last line is extended. */
export function responseAt(curve: Curve, rate: number): number {
  const [first] = curve
  if (first === undefined || curve.length === 1 || rate <= first.rate) {
    return first?.responseMs ?? 0
  }
  const [left, right] = lineAt(curve, (point) => point.rate < rate)
  const slope = (right.responseMs - left.responseMs) / (right.rate - left.rate)
  return left.responseMs + slope * (rate - left.rate)
}

/**
 * f̂⁻¹(RT): the rate at which the curve reaches a response time. 0 if the first point is already above it, infinite
 * if the curve has a single point.
 */
export function rateAt(curve: Curve, responseMs: number): number {
  const [first] = curve
  if (first === undefined) return Number.POSITIVE_INFINITY
  if (responseMs < first.responseMs) return 0
  if (curve.length === 1) return Number.POSITIVE_INFINITY
  const [left, right] = lineAt(curve, (point) => point.responseMs < responseMs)
  const slope = (right.rate - left.rate) / (right.responseMs - left.responseMs)
  return left.rate + slope * (responseMs - left.responseMs)
}

/** The line that ends at the first point that is not below; the last line if all points are below. */
function lineAt(curve: Curve, isBelow: (point: CurvePoint) => boolean): [CurvePoint, CurvePoint] {
  const reached = curve.findIndex((point) => !isBelow(point))
  const right = reached === -1 ? curve.length - 1 : Math.max(1, reached)
  return [curve[right - 1]!, curve[right]!]
}
