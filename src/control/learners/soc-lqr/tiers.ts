import { type Histogram, mergeHistograms } from '../../../histogram.ts'
import type { TierSample } from '../../learner.ts'
import { type Baseline, baselineTailS, NO_BASELINE, observeBaseline } from './baseline.ts'

/** What is known of one tier: its response time without queueing, and how it fared in its last interval. */
export interface Tier {
  readonly name: string
  readonly baseline: Baseline
  /** The interval that is under way. */
  readonly completed: number
  readonly served: number
  readonly late: number
  readonly latencyS: number
  readonly latency: Histogram
  /** z: mean wait of the last interval, in units of half the slack. */
  readonly queueing: number
  /** Share over the target in the last interval, in units of what the SLA allows. */
  readonly spent: number
}

/** How a tier stands against its target: all in seconds. */
export interface Standing {
  /** S0 */
  readonly meanS: number
  /** W = target − P0, kept above a tenth of the target: an SLA out of reach must not stop the arithmetic. */
  readonly slackS: number
  readonly targetS: number
}

export function freshTier(name: string): Tier {
  return {
    name,
    baseline: NO_BASELINE,
    completed: 0,
    served: 0,
    late: 0,
    latencyS: 0,
    latency: [],
    queueing: 0,
    spent: 0,
  }
}

export function standingOf(tier: Tier, sample: TierSample): Standing {
  const targetS = sample.targetMs / 1000
  const allowed = 1 - sample.percentile / 100
  if (tier.baseline.seen === 0) return { meanS: targetS / 4, slackS: targetS / 4, targetS }
  const slackS = targetS - baselineTailS(tier.baseline, allowed)
  return { meanS: tier.baseline.meanS, slackS: Math.max(slackS, targetS / 10), targetS }
}

export function addToTier(tier: Tier, sample: TierSample, served: number): Tier {
  return {
    ...tier,
    completed: tier.completed + sample.completed,
    served: tier.served + served,
    late: tier.late + sample.late,
    latencyS: tier.latencyS + sample.latencyUs / 1e6,
    latency: mergeHistograms(tier.latency, sample.latency),
  }
}

/** Ends the tier's interval: judges it, and learns the baseline from it when there was little queueing. */
export function closeTier(tier: Tier, sample: TierSample, aim: number): Tier {
  const standing = standingOf(tier, sample)
  const allowed = 1 - sample.percentile / 100
  const spent = tier.late / tier.completed / allowed
  const meanS = tier.served > 0 ? tier.latencyS / tier.served : 0
  const queueing =
    tier.served > 0 ? Math.max(0, meanS - standing.meanS) / (standing.slackS / 2) : tier.queueing
  const baseline =
    tier.served > 0
      ? observeBaseline(tier.baseline, {
          meanS,
          served: tier.served,
          latency: tier.latency,
          targetS: standing.targetS,
          queueing,
          late: spent > aim,
        })
      : tier.baseline
  return { ...freshTier(tier.name), baseline, queueing, spent }
}
