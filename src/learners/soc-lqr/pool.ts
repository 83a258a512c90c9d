import type { TierSample } from '../learner-interface.ts'
import { baselineTailS, baselineVariation } from './baseline.ts'
import { allowedOf, type Standing, standingOf, type Tier } from './tiers.ts'

/** All tiers as one: who waits longest in terms of its own target sets the terms. */
export interface Pool extends Standing {
  readonly windowS: number
  /** Squared coefficient of variation of the service. */
  readonly variation: number
}

const NOTHING_KNOWN: Pool = { meanS: 1, slackS: 1, targetS: 4, windowS: 300, variation: 1 }
/** A tier with less than this part of the requests is taken to have it: its share is a matter of chance. */
const LEAST_SHARE = 0.1

/**
 * The mean wait over all requests is felt by one tier alone when only that one queues: then it waits 1/share times
 * as long. So the slack of all is the least of share × slack.
 */
export function poolOf(tiers: readonly Tier[], samples: readonly TierSample[]): Pool {
  if (tiers.length === 0) return NOTHING_KNOWN
  const total = tiers.reduce((sum, { share }) => sum + share, 0)
  let meanS = 0
  let slackS = Number.POSITIVE_INFINITY
  let targetS = Number.POSITIVE_INFINITY
  let windowMs = Number.POSITIVE_INFINITY
  let variation = 0
  for (const [i, tier] of tiers.entries()) {
    const standing = standingOf(tier, samples[i]!)
    const share = tier.share / total
    meanS += share * standing.meanS
    slackS = Math.min(slackS, standing.slackS * Math.max(share, LEAST_SHARE))
    targetS = Math.min(targetS, standing.targetS)
    windowMs = Math.min(windowMs, samples[i]!.windowMs)
    variation = Math.max(variation, baselineVariation(tier.baseline))
  }
  return { meanS, slackS, targetS, windowS: windowMs / 1000, variation }
}

/** Without queueing all but a part of what the SLA allows are done within this time. */
export function tailOf(
  tiers: readonly Tier[],
  samples: readonly TierSample[],
  part: number,
): number {
  const tails = tiers.map((tier, i) => baselineTailS(tier.baseline, part * allowedOf(samples[i]!)))
  return Math.max(0, ...tails)
}
