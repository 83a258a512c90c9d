import { atLeastZero, list, number, object, type StateSchema } from '../../lib/state-schema.ts'
import { MANY } from './tick.ts'

/**
 * SOC's curve (Bartolini et al. 2009, §5) in units that last: load as a part of the capacity against the share
 * over the target. It remembers where the promise broke, so that the trim does not have to find out again and
 * again; a change of capacity by ρ leaves it as it is.
 */
export interface LateCurve {
  /** The pair that is under way. */
  readonly seconds: number
  readonly requests: number
  readonly completed: number
  readonly spent: number
  /** Ascending by slice. */
  readonly slices: readonly Slice[]
}

/** The barycenter of the pairs in a slice (§5.1). */
interface Slice {
  readonly slice: number
  /** How many pairs it stands for; less than that when they are old. */
  readonly weight: number
  readonly load: number
  readonly spent: number
}

export const NO_CURVE: LateCurve = { seconds: 0, requests: 0, completed: 0, spent: 0, slices: [] }

export const isCurve: StateSchema = object({
  seconds: atLeastZero,
  requests: atLeastZero,
  completed: atLeastZero,
  spent: atLeastZero,
  slices: list(
    object({ slice: number, weight: atLeastZero, load: atLeastZero, spent: atLeastZero }),
  ),
})

/** l_λ, in units of the capacity. */
const WIDTH = 0.02
/** Part of its weight that a slice keeps when another pair comes: the paper's averages never age. */
const FADE = 0.97
const FORGOTTEN = 0.2

export interface CurveEvidence {
  readonly seconds: number
  readonly requests: number
  readonly completed: number
  readonly spent: number
  readonly capacity: number
}

export function observeCurve(curve: LateCurve, evidence: CurveEvidence): LateCurve {
  const seconds = curve.seconds + evidence.seconds
  const requests = curve.requests + evidence.requests
  const completed = curve.completed + evidence.completed
  const spent = curve.spent + evidence.spent * evidence.completed
  if (completed < MANY) return { ...curve, seconds, requests, completed, spent }
  const load = requests / seconds / evidence.capacity
  return { ...NO_CURVE, slices: addPair(curve.slices, load, spent / completed) }
}

function addPair(slices: readonly Slice[], load: number, spent: number): readonly Slice[] {
  const slice = Math.floor(load / WIDTH)
  const faded = slices
    .map((other) => ({ ...other, weight: other.weight * FADE }))
    .filter(({ weight }) => weight > FORGOTTEN)
  const same = faded.find((other) => other.slice === slice) ?? { weight: 0, load: 0, spent: 0 }
  const weight = same.weight + 1
  const fresh: Slice = {
    slice,
    weight,
    load: same.load + (load - same.load) / weight,
    spent: same.spent + (spent - same.spent) / weight,
  }
  const others = faded.filter((other) => other.slice !== slice)
  return [...others, fresh].sort((a, b) => a.slice - b.slice)
}

/**
 * The load, as a part of the capacity, at which the curve says that all of the allowance is spent; infinite when that
 * was never seen. Neighbours that would make the curve fall are pooled first (§5.2).
 */
export function ceilingOf({ slices }: LateCurve): number {
  const points = rising(slices)
  const over = points.findIndex(({ spent }) => spent > 1)
  const above = points[over]
  // A single pair is chance (§5.1 would take it for reliable, as it has no spread).
  if (above === undefined || above.weight <= 1) return Number.POSITIVE_INFINITY
  const below = points[over - 1]
  if (below === undefined) return above.load / (1 + WIDTH)
  const part = (1 - below.spent) / (above.spent - below.spent)
  return below.load + (above.load - below.load) * part
}

/** Neighbours that would make the curve fall are pooled. */
function rising(slices: readonly Slice[]): readonly Slice[] {
  const points: Slice[] = []
  for (const next of slices) {
    let point = next
    for (let last = points.at(-1); last && last.spent >= point.spent; last = points.at(-1)) {
      point = pooled(last, point)
      points.pop()
    }
    points.push(point)
  }
  return points
}

function pooled(a: Slice, b: Slice): Slice {
  const weight = a.weight + b.weight
  const mean = (x: number, y: number): number => (x * a.weight + y * b.weight) / weight
  return { slice: b.slice, weight, load: mean(a.load, b.load), spent: mean(a.spent, b.spent) }
}
