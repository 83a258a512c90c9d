import { bucketFromMs, type Histogram, mergeHistograms } from '../../lib/histogram.ts'
import { atLeastZero, list, object, type StateSchema, text } from '../../lib/state-schema.ts'
import type { TierSample } from '../learner-interface.ts'
import {
  type Baseline,
  baselineTailS,
  isBaseline,
  NO_BASELINE,
  observeBaseline,
} from './baseline.ts'

/** What is known of one tier: its response time without queueing, and how it fared in its last interval. */
export interface Tier {
  readonly name: string
  /** Part of the completions that are this tier's. */
  readonly share: number
  readonly baseline: Baseline
  /** z: mean wait of the last interval, in units of half the slack. */
  readonly queueing: number
  /** Per second; carried before, and proven by the last interval to be within the capacity; 0: nothing is. */
  readonly within: number
  /** Share over the target in the last interval, in units of what the SLA allows. */
  readonly spent: number
  /** The interval that is under way. */
  readonly completed: number
  readonly served: number
  readonly late: number
  readonly latencyS: number
  readonly latency: Histogram
}

export const isTier: StateSchema = object({
  name: text,
  share: atLeastZero,
  baseline: isBaseline,
  queueing: atLeastZero,
  within: atLeastZero,
  spent: atLeastZero,
  completed: atLeastZero,
  served: atLeastZero,
  late: atLeastZero,
  latencyS: atLeastZero,
  latency: list(atLeastZero),
})

const NO_INTERVAL = { completed: 0, served: 0, late: 0, latencyS: 0, latency: [] } as const

/** How a tier stands against its target. */
export interface Standing {
  /** S0 */
  readonly meanS: number
  /** W = target − P0, kept above a tenth of the target: an SLA out of reach must not stop the arithmetic. */
  readonly slackS: number
  readonly targetS: number
}

export const allowedOf = ({ percentile }: TierSample): number => 1 - percentile / 100

/**
 * A target that service alone is proven to miss is judged as the nearest one that can be kept: all that a limit can
 * do is to keep requests from waiting longer than they are served. S0 beyond half the target is always proven.
 */
export function standingOf({ baseline }: Tier, sample: TierSample): Standing {
  const targetS = sample.targetMs / 1000
  if (baseline.seen === 0) return { meanS: targetS / 4, slackS: targetS / 4, targetS }
  const { meanS } = baseline
  const tailS = baselineTailS(baseline, allowedOf(sample))
  if (meanS > targetS / 2 && tailS > targetS) {
    return { meanS, slackS: meanS, targetS: tailS + meanS }
  }
  return { meanS, slackS: Math.max(targetS - tailS, targetS / 10), targetS }
}

/** Over the target that is judged by. */
function lateOf({ completed, served, late, latency }: Tier, sample: TierSample, targetS: number) {
  if (targetS <= sample.targetMs / 1000) return late
  let over = completed - served
  for (let i = 0; i < latency.length; i += 2) {
    if (bucketFromMs(latency[i]!) >= 1000 * targetS) over += latency[i + 1]!
  }
  return over
}

const MOST_SHARE_WEIGHT = 0.1
const SHARE_MEMORY = 1000

/** Adds a tick to the tiers' intervals. Tiers that the tick does not name are forgotten. */
export function addToTiers(
  tiers: readonly Tier[],
  samples: readonly TierSample[],
  served: readonly number[],
): readonly Tier[] {
  const all = samples.reduce((sum, { completed }) => sum + completed, 0)
  const weight = Math.min(MOST_SHARE_WEIGHT, all / SHARE_MEMORY)
  return samples.map((sample, i) => {
    const tier = tiers.find(({ name }) => name === sample.name) ?? freshTier(sample, samples.length)
    const share = all > 0 ? sample.completed / all : tier.share
    return {
      ...tier,
      share: tier.share + weight * (share - tier.share),
      completed: tier.completed + sample.completed,
      served: tier.served + served[i]!,
      late: tier.late + sample.late,
      latencyS: tier.latencyS + sample.latencyUs / 1e6,
      latency: mergeHistograms(tier.latency, sample.latency),
    }
  })
}

function freshTier({ name }: TierSample, tiers: number): Tier {
  return {
    name,
    share: 1 / tiers,
    baseline: NO_BASELINE,
    queueing: 0,
    within: 0,
    spent: 0,
    ...NO_INTERVAL,
  }
}

/** What was seen so far in this interval is not to count. */
export function dropInterval(tier: Tier): Tier {
  return { ...tier, ...NO_INTERVAL }
}

/**
 * Ends the tier's interval: judges it, and learns the baseline from it when there was little queueing. Requests
 * that clients gave up (`givenUp`, per completion) took longer than the target, and count so. `rate` is what all
 * tiers served per second.
 */
export function closeTier(
  tier: Tier,
  sample: TierSample,
  { aim, givenUp, rate }: { readonly aim: number; readonly givenUp: number; readonly rate: number },
): Tier {
  const { meanS: usualS, slackS, targetS } = standingOf(tier, sample)
  const spentBy = (late: number): number =>
    (late / tier.completed + givenUp) / (1 + givenUp) / allowedOf(sample)
  const spent = spentBy(lateOf(tier, sample, targetS))
  if (tier.served === 0) return { ...tier, ...NO_INTERVAL, spent }
  const meanS = tier.latencyS / tier.served
  const feltS = (meanS + givenUp * Math.max(meanS, targetS)) / (1 + givenUp)
  const queueing = Math.max(0, feltS - usualS) / (slackS / 2)
  const { served, latency } = tier
  const evidence = {
    meanS,
    served,
    rate,
    latency,
    targetS,
    queueing,
    late: spentBy(tier.late) > aim,
    givenUp,
  }
  const baseline = observeBaseline(tier.baseline, evidence)
  const within = baseline.idleS > 0 && tier.baseline.idleS > 0 ? baseline.carried : 0
  return { ...tier, ...NO_INTERVAL, baseline, queueing, within, spent }
}
