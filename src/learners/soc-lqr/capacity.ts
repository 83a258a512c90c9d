import { atLeastZero, list, nullable, object, type StateSchema } from '../../lib/state-schema.ts'
import { ALL, MANY, SOME } from './tick.ts'

/** C, from the utilisation law: while requests wait all the time, the goodput is the capacity. */
export interface Capacity {
  /** Requests per second; null: the origin has never been seen saturated. */
  readonly rate: number | null
  /** Completions behind it. */
  readonly weight: number
  /** The newest ticks while saturated, the newest one last. */
  readonly run: readonly Count[]
  /** The newest completions of all. */
  readonly carried: Count
}

interface Count {
  readonly completions: number
  readonly seconds: number
  readonly ticks: number
}

const NOTHING: Count = { completions: 0, seconds: 0, ticks: 0 }

export const NO_CAPACITY: Capacity = {
  rate: null,
  weight: 0,
  run: [],
  carried: NOTHING,
}

const isCount = object({ completions: atLeastZero, seconds: atLeastZero, ticks: atLeastZero })

export const isCapacity: StateSchema = object({
  rate: nullable(atLeastZero),
  weight: atLeastZero,
  run: list(isCount),
  carried: isCount,
})

/** A change is real beyond so many deviations: at 2, tested every second, false ones came every ten minutes. */
const CERTAIN = 3.5
/** Ticks that show a capacity. */
const FEWEST_TICKS = 2
/** Less than was carried before may be a pause, seen late: it needs more ticks. */
const TICKS_OF_FALL = 4
/** Of what was seen, so much counts after each tick without waiting: pauses one after the other are no fall. */
const KEPT = 0.8

export interface SaturationTick {
  readonly served: number
  readonly seconds: number
  /** Requests waited all the time. */
  readonly saturated: boolean
  /** Requests whose clients went away: work that may have been done for nobody. */
  readonly abandoned: number
  /** Squared coefficient of variation of the service: counts of completions vary with it. */
  readonly variation: number
  /** All work is in the goodput: hardly a client leaves, and none has left before whose request is still worked on. */
  readonly isClear: boolean
  /** What the origin can take for sure: what was carried without queueing, or one request at a time. */
  readonly proven: number
}

export interface CapacityStep {
  readonly capacity: Capacity
  /** Found, or found changed, in this tick. */
  readonly changed: boolean
}

export function observeCapacity(before: Capacity, tick: SaturationTick): CapacityStep {
  const carried = add(before.carried, tick)
  const capacity = atLeastCarried({ ...before, carried })
  if (tick.saturated) return measure(capacity, tick)
  return {
    capacity: { ...capacity, run: capacity.run.map((one) => scaledCount(one, KEPT)) },
    changed: false,
  }
}

function measure(capacity: Capacity, tick: SaturationTick): CapacityStep {
  const { rate, weight } = capacity
  const done = doneOf(tick, rate)
  const newest = { completions: done, seconds: tick.seconds, ticks: 1 }
  const run = newestOf([...capacity.run, newest])
  const found = changeIn(run, capacity, tick)
  if (found !== null) {
    const carried = total(found)
    const { completions, seconds } = carried
    // Where clients leave, a part of the work is not in the goodput: what was carried once can be carried.
    const least = rate === null && !tick.isClear ? tick.proven : 0
    const changed = { rate: Math.max(completions / seconds, least), weight: completions }
    return { capacity: { ...capacity, ...changed, run: found, carried }, changed: true }
  }
  if (rate === null) return { capacity: { ...capacity, run }, changed: false }
  const knownS = Math.min(weight, ALL) / Math.max(rate, Number.MIN_VALUE)
  const blended = (rate * knownS + done) / (knownS + tick.seconds)
  const next = { ...capacity, run, rate: blended, weight: blended * (knownS + tick.seconds) }
  return { capacity: next, changed: false }
}

/** The newest ticks that are remembered: of about so many completions, and not too few. */
function newestOf(run: readonly Count[]): readonly Count[] {
  let completions = 0
  let ticks = 0
  let from = run.length
  while (from > 0 && (completions < MANY || ticks < TICKS_OF_FALL)) {
    from--
    completions += run[from]!.completions
    ticks += run[from]!.ticks
  }
  return run.slice(from)
}

/**
 * The newest part of the run, from some tick on, that differs most from the capacity; null: none differs by more than
 * chance. What was served before a change is no evidence of what can be served after it.
 */
function changeIn(
  run: readonly Count[],
  { rate, weight }: Capacity,
  { proven, variation }: SaturationTick,
): readonly Count[] | null {
  let found: readonly Count[] = run
  let most = 0
  let isProven = false
  for (let from = 0; from < run.length; from++) {
    const part = run.slice(from)
    const { completions, seconds, ticks } = total(part)
    if (completions < SOME || ticks < FEWEST_TICKS) continue
    const measured = completions / seconds
    const isEnough = measured >= (rate ?? proven) || ticks >= TICKS_OF_FALL
    if (rate === null) {
      if (isEnough) return part
      continue
    }
    const by = deviations(completions, measured, rate, weight, variation)
    if (by > CERTAIN && isEnough) isProven = true
    if (by > most) {
      found = part
      most = by
    }
  }
  return isProven ? found : null
}

const total = (counts: readonly Count[]): Count => ({
  completions: counts.reduce((sum, { completions }) => sum + completions, 0),
  seconds: counts.reduce((sum, { seconds }) => sum + seconds, 0),
  ticks: counts.reduce((sum, { ticks }) => sum + ticks, 0),
})

/** What was done for nobody lies between nothing and all that was given up. */
function doneOf({ served, abandoned, seconds }: SaturationTick, rate: number | null): number {
  if (rate === null) return served + abandoned / 2
  return Math.min(served + abandoned, Math.max(served, rate * seconds))
}

/** How many standard deviations lie between a measurement and the capacity. */
function deviations(
  completions: number,
  measured: number,
  rate: number,
  weight: number,
  variation: number,
): number {
  const deviation =
    Math.max(1, Math.sqrt(variation)) *
    Math.hypot(measured / Math.sqrt(completions), rate / Math.sqrt(Math.max(1, weight)))
  return Math.abs(measured - rate) / deviation
}

/** What the origin carries it can carry. */
function atLeastCarried(capacity: Capacity): Capacity {
  const { rate, carried } = capacity
  const isEnough = carried.completions >= MANY / 2 && carried.ticks >= FEWEST_TICKS
  const proven = carriedRate(capacity)
  if (rate === null || !isEnough || proven <= rate) return capacity
  return { ...capacity, rate: proven, weight: Math.min(capacity.weight, carried.completions) }
}

/** The goodput of late, less two deviations: what is no chance. */
export function carriedRate({ carried }: Capacity): number {
  if (carried.completions < 1) return 0
  const chance = 2 / Math.sqrt(carried.completions)
  return (carried.completions / carried.seconds) * Math.max(0, 1 - chance)
}

const scaledCount = ({ completions, seconds, ticks }: Count, factor: number): Count => ({
  completions: completions * factor,
  seconds: seconds * factor,
  ticks: ticks * factor,
})

/** A single tick is off by its length, so it never counts alone. */
function add(count: Count, tick: { readonly served: number; readonly seconds: number }): Count {
  const completions = count.completions + tick.served
  const ticks = count.ticks + 1
  const keep = Math.min(1, Math.max(MANY / Math.max(completions, 1), TICKS_OF_FALL / ticks))
  return scaledCount({ completions, seconds: count.seconds + tick.seconds, ticks }, keep)
}

/** Found in another way than by saturation. */
export function foundCapacity(capacity: Capacity, rate: number, completions: number): Capacity {
  return { ...capacity, rate, weight: Math.min(completions, MANY), run: [] }
}

/** An announced change: knowledge scales by ρ (Bartolini et al. 2009, §5.3). */
export function scaleCapacity(capacity: Capacity, ratio: number): Capacity {
  return {
    rate: capacity.rate === null ? null : capacity.rate * ratio,
    weight: Math.min(capacity.weight, MANY),
    run: [],
    carried: NOTHING,
  }
}
