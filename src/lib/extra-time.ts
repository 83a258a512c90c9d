/**
 * How much longer the answers of one kind take than others of the same moment. The model of a response time is
 *
 *     R = level of the moment + extra of the kind
 *
 * The level contains the queue, in which all answers of a moment wait alike. So the extra time is the difference in service.
 * It is learned in calm: where servers are shared, a queue stretches differences. A kind that no calm has shown is learned
 * as well as the queue allows. If all answers cost alike, each cost is exactly 1.
 */
export interface ExtraTime {
  readonly extraMs: number
  /** Answers that `extraMs` and `variance` stand for. */
  readonly weight: number
  /** Of one answer. */
  readonly variance: number
  /** `extraMs` was seen in calm. */
  readonly isCalm: boolean
}

export const NO_EXTRA_TIME: ExtraTime = { extraMs: 0, weight: 0, variance: 0, isCalm: false }

/** Response times up to this many times those without queueing are calm. */
const CALM_BELOW = 1.5
/** How far the response time without queueing follows a lower one, and a higher one of a calm window. */
const FALL = 0.3
const RISE = 0.05
/**
 * It is forgotten slowly, by this factor a window, because pages may become slower. A queue that lasts for minutes must not
 * pass for calm, and costs are still right if all pages have become slower alike.
 */
const FORGET = 1.0002
/** An extra time is used from this many answers on. */
export const ENOUGH_ANSWERS = 10
/** A difference of fewer standard errors may be chance. */
const ERRORS = 3
/**
 * A smaller difference, as a part of the mean page, is not counted. Where a class is let in when the queue happens to be
 * short, its answers are faster by a few per cent without costing less.
 */
const LEAST_DIFFERENCE = 0.25
/** Of the newest window in the variance. */
const VARIANCE_WEIGHT = 0.125
/** Clocks count whole milliseconds, so differences between faster pages do not show. */
const LEAST_UNIT_MS = 1
/** A larger cost, or a smaller one than its inverse, is more likely an error of measurement. */
const LARGEST_COST = 50

/** The level of a window. One far below the calm one is not a shorter queue: its kinds have become faster. */
export const boundedLevel = (calmMs: number | null, levelMs: number): number =>
  Math.max((calmMs ?? 0) / 2, levelMs)

/** The level without queueing, after a window. null: none is known yet. */
export function calmLevelAfter(beforeMs: number | null, levelMs: number): number {
  if (beforeMs === null) return levelMs
  if (levelMs < beforeMs) return beforeMs + FALL * (levelMs - beforeMs)
  if (isCalmLevel(beforeMs, levelMs)) return beforeMs + RISE * (levelMs - beforeMs)
  return beforeMs * FORGET
}

export const isCalmLevel = (calmMs: number, levelMs: number): boolean =>
  levelMs <= CALM_BELOW * calmMs

interface Seen {
  readonly answers: number
  readonly meanMs: number
  /** How much longer they took than level and extra time say. */
  readonly errorMs: number
  readonly isCalm: boolean
}

/** Takes up the answers of a window. `memory`: answers that the extra time is a mean over. */
export function extraTimeAfter(before: ExtraTime, seen: Seen, memory: number): ExtraTime {
  const { answers, meanMs, errorMs, isCalm } = seen
  if (before.isCalm && !isCalm) return before
  // What a queue has shown is worth nothing beside what calm shows.
  const known = isCalm && !before.isCalm ? 0 : before.weight
  // Before there is a second window, the answers vary as much as exponential service does.
  const variance =
    known === 0
      ? meanMs ** 2
      : before.variance + VARIANCE_WEIGHT * (answers * errorMs ** 2 - before.variance)
  const weight = Math.min(memory, known + answers)
  const extraMs = before.extraMs + Math.min(1, answers / weight) * errorMs
  return { extraMs, weight, variance, isCalm }
}

/** null: there are too few answers yet. `usualMs`: the mean extra time of all answers, over a long time. */
export function knownCost(
  { extraMs, weight, variance }: ExtraTime,
  calmMs: number | null,
  usualMs: number,
): number | null {
  if (calmMs === null) return null
  const unitMs = calmMs + usualMs
  if (weight < ENOUGH_ANSWERS || !(unitMs >= LEAST_UNIT_MS)) return null
  const difference = extraMs - usualMs
  const least = Math.max(LEAST_DIFFERENCE * unitMs, ERRORS * Math.sqrt(variance / weight))
  if (Math.abs(difference) < least) return 1
  return Math.min(LARGEST_COST, Math.max(1 / LARGEST_COST, 1 + difference / unitMs))
}
