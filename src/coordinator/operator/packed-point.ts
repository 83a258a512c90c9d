import type { ClassTraffic, TrafficPoint } from './traffic-point.ts'

/** A point is stored as a list of numbers in this order, which takes a third of the room. */
const CLASS_KEYS = [
  ...['offered', 'admitted', 'refused', 'wouldRefuse', 'requests', 'served', 'failed'],
] as const satisfies readonly (keyof ClassTraffic)[]

/** Came later: they are at the end, so that older points can be read. */
const LATER_KEYS = ['queued', 'degraded'] as const

const STORED_CLASS_KEYS = [...CLASS_KEYS, ...LATER_KEYS] as const

const KEYS = [
  ...['seconds', ...CLASS_KEYS, 'abandoned', 'withinTarget', 'inFlight'],
  ...['limit', 'targetMs', 'p50Ms', 'p95Ms', 'p99Ms', ...LATER_KEYS],
] as const satisfies readonly (keyof TrafficPoint)[]

/** A new key may be added at the end of the lists. Points that were stored before read it as 0. */
export function packPoint(point: TrafficPoint): unknown {
  const classes = Object.entries(point.classes).map(([name, traffic]) => [
    name,
    STORED_CLASS_KEYS.map((key) => rounded(traffic[key])),
  ])
  return [KEYS.map((key) => rounded(point[key])), Object.fromEntries(classes)]
}

/** null: it was not stored by `packPoint`. */
export function unpackPoint(atMs: number, packed: unknown): TrafficPoint | null {
  if (!Array.isArray(packed) || !Array.isArray(packed[0])) return null
  const [values, classes] = packed as [(number | null)[], Record<string, number[]>]
  const named = Object.entries(classes ?? {}).map(([name, given]) => [
    name,
    Object.fromEntries(STORED_CLASS_KEYS.map((key, i) => [key, given[i] ?? 0])),
  ])
  const point = Object.fromEntries(
    KEYS.map((key, i) => [key, values[i] === undefined ? 0 : values[i]]),
  )
  return { atMs, ...point, classes: Object.fromEntries(named) } as unknown as TrafficPoint
}

/** Five digits are more than a chart shows. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(5))
}
