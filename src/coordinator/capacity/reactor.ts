/** Decides when the servers must change before the next prediction is due (Urgaonkar et al. 2008, §5.2). */

export interface ReactorOptions {
  /** The rates are compared once in this time. */
  readonly everyS: number
  /** τ_1: more servers, if the observed rate is more than this many times the planned one. */
  readonly above: number
  /** τ_2: more servers at once, if more than this part of the arrivals is refused. */
  readonly refused: number
  /** τ_low: fewer servers, if the observed rate is less than this part of the planned one. */
  readonly below: number
  /** `model`: as many as the model says. Otherwise this part more or fewer, such as 0.1. */
  readonly step: 'model' | number
  /** Δ: at most this many servers more or fewer in a tier at once. */
  readonly maxStep: number
  /** δ: no two changes within this time. */
  readonly pauseS: number
}

/** What the reactor looks at. Rates are session arrivals per second. */
export interface ObservedLoad {
  readonly nowMs: number
  /** λ_obs, over the last minutes. */
  readonly rate: number
  /** The peak rate for which the servers are planned; null: nothing is planned yet. */
  readonly plannedRate: number | null
  /** The part of the arrivals that is refused now. */
  readonly refused: number
  /** When the rates were last compared, and when the number of servers last changed. */
  readonly comparedAtMs: number | null
  readonly changedAtMs: number | null
}

/**
 * `none`: it is not yet time to compare. `steady`: the rates fit. `wait`: a change is needed, but the last one was too
 * short a time ago.
 */
export type Reaction = 'none' | 'steady' | 'wait' | 'observed' | 'refused' | 'low'

export function react(observed: ObservedLoad, options: ReactorOptions): Reaction {
  const { nowMs, rate, plannedRate, refused, comparedAtMs, changedAtMs } = observed
  const isDue = comparedAtMs === null || nowMs - comparedAtMs >= options.everyS * 1000
  const isRefusing = refused > options.refused
  if (!isDue && !isRefusing) return 'none'
  const isPausing = changedAtMs !== null && nowMs - changedAtMs < options.pauseS * 1000
  const found = reactionTo(rate, plannedRate, isRefusing, options)
  return isPausing ? 'wait' : found
}

function reactionTo(
  rate: number,
  plannedRate: number | null,
  isRefusing: boolean,
  { above, below }: ReactorOptions,
): Exclude<Reaction, 'none' | 'wait'> {
  if (isRefusing) return 'refused'
  if (plannedRate === null || rate > above * plannedRate) return 'observed'
  return rate < below * plannedRate ? 'low' : 'steady'
}

/**
 * The rate to plan for after a reaction. With fewer servers it stays above the observed rate, so that the next
 * comparison does not ask for more again.
 */
export function rateToPlan(
  reaction: 'observed' | 'refused' | 'low',
  rate: number,
  { above, below }: ReactorOptions,
): number {
  return reaction === 'low' ? rate * Math.min(above, 1 / Math.max(below, 0.01)) : rate
}

/** The next number of servers of a tier: towards `wanted`, at most Δ at once. */
export function boundedStep(
  current: number,
  wanted: number,
  { maxStep }: Pick<ReactorOptions, 'maxStep'>,
): number {
  return Math.max(current - maxStep, Math.min(current + maxStep, wanted))
}

/** The second approach of §5.2, which needs no model: a fixed part more, or fewer, and at least one. */
export function fixedStep(current: number, part: number, isMore: boolean): number {
  const change = Math.max(1, Math.round(current * part))
  return isMore ? current + change : Math.max(1, current - change)
}
