import type { Sample } from '../learners/learner-interface.ts'
import { isAllIn, type Plan } from '../protocol/plan.ts'

/** Calm has to last this long before anybody reports less often. */
const CALM_AFTER_MS = 30_000
/** In calm the arrivals are at most this part of the limit. */
const MOST_DEMAND = 0.5
/** The time between two reports. By plans of before, all isolates together admit at most half a second of the limit, */
const OLD_MS = 500
/** or what comes in this time. */
const SHORTEST_MS = 2000
const LONGEST_MS = 10_000
/** A plan is valid for this long after the next report is due. */
const SPARE_MS = 2000
/** Single late answers are chance. */
const MOST_LATE = 2

/** Since when it is calm; null: it is not. `isWatched`: an operator looks on, second by second. */
export function calmSinceAfter(
  sinceMs: number | null,
  tick: {
    readonly plan: Plan
    readonly demand: number
    readonly sample: Sample
    readonly isWatched: boolean
    /** Time in which nobody reported. It shows no calm. */
    readonly silentMs: number
    readonly nowMs: number
  },
): number | null {
  const { plan, demand, sample, isWatched, silentMs, nowMs } = tick
  const isCalm = !isWatched && demand <= MOST_DEMAND && hasNothingSpecial(plan) && !isLate(sample)
  if (!isCalm) return null
  return sinceMs === null ? nowMs : sinceMs + silentMs
}

/**
 * The plan in calm says how seldom an isolate with little traffic may report. `demand`: arrivals as a part of the limit.
 * If a crowd comes somewhere, isolates elsewhere go by their old plan until they report.
 */
export function withCalm(plan: Plan, sinceMs: number | null, demand: number): Plan {
  if (sinceMs === null || !(plan.issuedAtMs - sinceMs >= CALM_AFTER_MS)) return plan
  const calmMs = Math.round(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, OLD_MS / demand)))
  return { ...plan, calmMs, goodForMs: Math.max(plan.goodForMs, calmMs + SPARE_MS) }
}

/**
 * Everybody is let in, with the best answer, and no part of the plan must reach every isolate within a second. Sessions that
 * the origin has ended do not count: where there are any, each request needs a plan that was confirmed.
 */
function hasNothingSpecial(plan: Plan): boolean {
  const { down, rising, routes } = plan
  if (down || rising || !isAllIn(plan)) return false
  return Object.values(routes).every(
    ({ soldOut, events, quality, classes }) =>
      !soldOut &&
      !events &&
      (quality?.step ?? 0) === 0 &&
      Object.values(classes).every(({ queue }) => queue === undefined),
  )
}

const isLate = ({ tiers }: Sample): boolean =>
  tiers.some(
    ({ late, completed, percentile }) =>
      late > MOST_LATE && late > completed * (1 - percentile / 100),
  )
