import { capacityBetween } from './capacity.ts'
import type { SecondCounts } from './second-counts.ts'
import { DEFAULT_GOAL, onsetS, SETTLE_S, type TrialCase } from './trial-case.ts'

/** The figures of a trial. Times are in seconds. */
export interface Measures {
  /** Answers within the SLA divided by what the origin could have served, once settled. */
  readonly share: number
  /** Part of the admitted requests that was late, failed or given up, once settled. */
  readonly lateShare: number
  /** Seconds from the onset on with more late answers than the SLA allows, beyond chance. */
  readonly violationS: number
  /** Time from the onset until its backlog is gone; null: it never went. */
  readonly drainS: number | null
  /** Requests from the onset on. */
  readonly refused: number
  readonly failed: number
}

/** The backlog is gone when this many seconds in a row are within the SLA. */
const CALM_S = 3

/** Standard deviations of a binomial distribution that are taken for chance: one in twenty. */
const CHANCE = 1.645

/** `settleS`: how long after the onset the origin and the gate may take to settle. */
export function measure(
  trial: TrialCase,
  bySecond: readonly SecondCounts[],
  settleS = SETTLE_S,
): Measures {
  const allowed = allowedLate(trial)
  const onset = Math.floor(onsetS(trial))
  const fromS = Math.min(bySecond.length, Math.ceil(onsetS(trial) + settleS))
  const measured = bySecond.slice(fromS)
  const surge = bySecond.slice(onset)
  const inSla = sum(measured, 'inSla')
  const admitted = inSla + measured.reduce((all, second) => all + missed(second), 0)
  const capacity = capacityBetween(trial, fromS, bySecond.length)
  const bad = surge.map((second) => isViolation(second, allowed))
  return {
    share: capacity > 0 ? inSla / capacity : 0,
    lateShare: admitted > 0 ? 1 - inSla / admitted : 0,
    violationS: bad.filter(Boolean).length,
    drainS: drainTime(bad, settleS),
    refused: sum(surge, 'refused'),
    failed: sum(surge, 'failed'),
  }
}

/** The share reaches the goal, no more is late than the SLA allows, and no session was cut. */
export function isMet(
  trial: TrialCase,
  { share, lateShare, cut = 0 }: Pick<Measures, 'share' | 'lateShare'> & { readonly cut?: number },
): boolean {
  return share >= (trial.goal ?? DEFAULT_GOAL) && lateShare <= allowedLate(trial) && cut === 0
}

function allowedLate({ percentile = 95 }: TrialCase): number {
  return 1 - percentile / 100
}

function sum(seconds: readonly SecondCounts[], key: keyof SecondCounts): number {
  return seconds.reduce((all, second) => all + second[key], 0)
}

function missed({ late, abandoned, failed }: SecondCounts): number {
  return late + abandoned + failed
}

function isViolation(second: SecondCounts, allowed: number): boolean {
  const count = second.inSla + missed(second)
  const chance = CHANCE * Math.sqrt(count * allowed * (1 - allowed))
  return missed(second) > count * allowed + chance
}

/** 0 if the onset left no backlog: then no second before `settleS` was in violation. */
function drainTime(bad: readonly boolean[], settleS: number): number | null {
  const first = bad.indexOf(true)
  if (first < 0 || first >= settleS) return 0
  for (let second = first; second + CALM_S <= bad.length; second++)
    if (!bad.slice(second, second + CALM_S).includes(true)) return second
  return null
}
