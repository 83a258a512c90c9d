import {
  bucketFromMs,
  type Histogram,
  histogramTotal,
  mergeHistograms,
  quantileMs,
} from '../../lib/histogram.ts'
import { atLeastZero, list, object, type StateSchema, text } from '../../lib/state-schema.ts'
import type { TierSample } from '../learner-interface.ts'
import { ALL, FEW, MANY } from './tick.ts'

/** One type of request: its service time, and what was counted of it in the interval under way. */
export interface Tier {
  readonly name: string
  /** Part of the completions that are this tier's. */
  readonly share: number
  /** S0: mean response time without queueing, in seconds, and the distribution around it. */
  readonly meanS: number
  readonly shape: Histogram
  /** Completions behind it; 0: nothing is known. */
  readonly seen: number
  readonly completed: number
  readonly served: number
  readonly late: number
  readonly latencyS: number
  readonly latency: Histogram
}

const NOTHING = { completed: 0, served: 0, late: 0, latencyS: 0, latency: [] } as const

export const isTier: StateSchema = object({
  name: text,
  share: atLeastZero,
  meanS: atLeastZero,
  shape: list(atLeastZero),
  seen: atLeastZero,
  completed: atLeastZero,
  served: atLeastZero,
  late: atLeastZero,
  latencyS: atLeastZero,
  latency: list(atLeastZero),
})

/** Adds a tick. Tiers that the tick does not name are forgotten. */
export function addToTiers(
  tiers: readonly Tier[],
  samples: readonly TierSample[],
): readonly Tier[] {
  const all = samples.reduce((sum, { completed }) => sum + completed, 0)
  const weight = Math.min(0.1, all / ALL)
  return samples.map((sample) => {
    const { name } = sample
    const fresh = { name, share: 1 / samples.length, meanS: 0, shape: [], seen: 0, ...NOTHING }
    const tier = tiers.find((other) => other.name === name) ?? fresh
    const share = all > 0 ? sample.completed / all : tier.share
    return {
      ...tier,
      share: tier.share + weight * (share - tier.share),
      completed: tier.completed + sample.completed,
      served: tier.served + histogramTotal(sample.latency),
      late: tier.late + sample.late,
      latencyS: tier.latencyS + sample.latencyUs / 1e6,
      latency: mergeHistograms(tier.latency, sample.latency),
    }
  })
}

/** The interval begins anew, and what was seen of the service stays. */
export const restarted = (tier: Tier): Tier => ({ ...tier, ...NOTHING })

export const allowedOf = ({ percentile }: TierSample): number => 1 - percentile / 100

/** What the service needs and what the target leaves for waiting. */
export interface Times {
  /** S0 */
  readonly meanS: number
  /** W */
  readonly slackS: number
  readonly targetS: number
  /** Without queueing all but the share aimed at are done within this time. */
  readonly tailS: number
  readonly windowS: number
  /** The share over the target that is aimed at, as long as windows were not compared. */
  readonly aimed: number
  /** Squared coefficient of variation of the service. */
  readonly variation: number
  /** What service alone spends of the allowance. */
  readonly ownSpent: number
}

/**
 * A target out of reach must not stop the arithmetic, and the share of a small tier is a matter of chance: slack and share
 * count with no less than this part.
 */
const LEAST = 0.1
/** The part of the allowance that is aimed at, as long as windows were not compared. */
const AIM = 0.4

/**
 * W = T − P0. A target that service alone misses is judged as the nearest one that can be kept: all that a limit can do
 * is to keep requests from waiting longer than they are served.
 */
export function tierTimes(
  tier: Tier,
  sample: TierSample,
): Pick<Times, 'meanS' | 'slackS' | 'targetS' | 'windowS'> {
  const targetS = sample.targetMs / 1000
  const windowS = sample.windowMs / 1000
  const { meanS } = tier
  if (tier.seen === 0) return { meanS: targetS / 4, slackS: targetS / 4, targetS, windowS }
  const tailS = tailOf(tier, allowedOf(sample))
  if (meanS > targetS / 2 && tailS > targetS)
    return { meanS, slackS: meanS, targetS: tailS + meanS, windowS }
  return { meanS, slackS: Math.max(targetS - tailS, LEAST * targetS), targetS, windowS }
}

/** All tiers as one: the mean wait may be felt by one tier alone, so the slack is the least of share × slack. */
export function timesOf(tiers: readonly Tier[], samples: readonly TierSample[]): Times {
  const total = tiers.reduce((sum, { share }) => sum + share, 0)
  let meanS = 0
  let slackS = Number.POSITIVE_INFINITY
  let targetS = Number.POSITIVE_INFINITY
  let windowS = Number.POSITIVE_INFINITY
  let tailS = 0
  let variation = 0
  let aimed = 1
  let ownSpent = 0
  for (const [i, tier] of tiers.entries()) {
    const sample = samples[i]!
    const times = tierTimes(tier, sample)
    const share = tier.share / total
    meanS += share * times.meanS
    slackS = Math.min(slackS, times.slackS * Math.max(share, LEAST))
    targetS = Math.min(targetS, times.targetS)
    windowS = Math.min(windowS, times.windowS)
    const late = AIM * allowedOf(sample)
    aimed = Math.min(aimed, late)
    tailS = Math.max(tailS, tailOf(tier, late))
    variation = Math.max(variation, variationOf(tier.shape))
    ownSpent = Math.max(ownSpent, shareOver(tier.shape, sample.targetMs) / allowedOf(sample))
  }
  return { meanS, slackS, targetS, tailS, windowS, aimed, variation, ownSpent }
}

/** The time that all but `share` of the requests stay below without queueing, in seconds. */
function tailOf({ shape, meanS }: Tier, share: number): number {
  const ms = quantileMs(shape, 1 - share)
  return ms === null ? meanS * -Math.log(share) : ms / 1000
}

function shareOver(shape: Histogram, ms: number): number {
  let over = 0
  for (let i = 0; i < shape.length; i += 2) if (bucketFromMs(shape[i]!) >= ms) over += shape[i + 1]!
  return over
}

/** 1 as long as nothing is known. */
function variationOf(shape: Histogram): number {
  let total = 0
  let sum = 0
  let squares = 0
  for (let i = 0; i < shape.length; i += 2) {
    const ms = (bucketFromMs(shape[i]!) + bucketFromMs(shape[i]! + 1)) / 2
    total += shape[i + 1]!
    sum += shape[i + 1]! * ms
    squares += shape[i + 1]! * ms * ms
  }
  return sum > 0 ? Math.max(0, (squares * total) / (sum * sum) - 1) : 1
}

/** S0 moves by these parts of a difference in an interval: down, and up. */
const FALL = 0.2
const CREEP = 0.03
/** Slower service than this part of the target must be proven. */
const MOST_OF_TARGET = 0.8

/**
 * S0 falls readily. It rises only while servers are idle (`calm`): queueing must not pass for slow service.
 */
export function learnedService(tier: Tier, targetS: number, calm: boolean): Tier {
  if (tier.served === 0) return tier
  const seen = tier.seen + tier.served
  const ownS = tier.latencyS / tier.served
  const meanS = Math.min(ownS, Math.max(MOST_OF_TARGET * targetS, tier.meanS))
  const isUp = meanS > tier.meanS
  if (isUp && !calm && tier.seen > 0) return { ...tier, seen }
  const weight = isUp ? CREEP : FALL
  // The first completions of a cold start are the short ones: a running mean forgets them.
  const first = tier.seen < MANY ? tier.served / seen : 0
  // Few that take half of what was believed prove that there was a queue.
  const isFar = meanS < tier.meanS / 2 && tier.served >= FEW
  const part = isFar ? 1 : isUp && first > 0 ? first : Math.max(first, weight)
  return {
    ...tier,
    meanS: tier.meanS + part * (meanS - tier.meanS),
    seen,
    // What is not believed of the mean is not believed of the tail: it may be a queue's.
    shape: meanS < ownS ? tier.shape : blended(tier.shape, tier.latency, part),
  }
}

/** It is proven that the service takes as long as it took in this interval. */
export function slowService(tier: Tier): Tier {
  if (tier.served === 0) return tier
  const shape = blended([], tier.latency, 1)
  return { ...tier, meanS: tier.latencyS / tier.served, shape }
}

/** Both as parts of one, the fresh one with this weight. */
function blended(old: Histogram, fresh: Histogram, weight: number): Histogram {
  const total = histogramTotal(fresh)
  const cells = new Map<number, number>()
  for (let i = 0; i < old.length; i += 2) cells.set(old[i]!, old[i + 1]! * (1 - weight))
  for (let i = 0; i < fresh.length; i += 2)
    cells.set(fresh[i]!, (cells.get(fresh[i]!) ?? 0) + (fresh[i + 1]! / total) * weight)
  return [...cells]
    .filter(([, part]) => part >= 2e-5)
    .sort(([a], [b]) => a - b)
    .flatMap(([bucket, part]) => [bucket, Number(part.toPrecision(4))])
}
