import { AGE_BUCKETS, ageBucketFromS, ageBucketOf } from '../../lib/session-age-buckets.ts'
import { atLeastZero, number, object, type StateSchema } from '../../lib/state-schema.ts'
import {
  type Demand,
  isDemand,
  NO_DEMAND,
  observeDemand,
  withoutEnded,
  withoutSessions,
} from './demand.ts'
import { LEAVING, type Tick } from './tick.ts'

/** Requests per second of a session of each age, and what follows from it. */
export interface Kernel {
  /** h, by age bucket. */
  readonly rates: readonly number[]
  /** M: requests that a session makes over its life. */
  readonly perSession: number
  /** D: mean age of a session at its requests, in seconds. */
  readonly meanAgeS: number
  /** The part of M at ages that sessions have been watched at; the rest is believed. */
  readonly watched: number
  /** Sessions have been watched until they were over. */
  readonly settled: boolean
}

/** What is believed of sessions that have never been watched that long. */
export interface KernelPrior {
  readonly perSession: number
  readonly meanAgeS: number
}

/** What is believed of an age counts as so many requests. */
const BELIEF = 0.2
/** A bucket counts as watched when so many requests were to be expected of it. */
const WATCHED = 1
/** Sessions that made this many requests need not be believed to make more. */
const ENOUGH = 3
/** Mean ages, and a second, after which a session that does not ask is over. */
const LONG_ENOUGH = 6
/** An age at which nobody asked is believed to ask ever less, but never to be silent for good. */
const LEAST_BELIEF = 1e-6

export function kernelOf(demand: Demand, prior: KernelPrior): Kernel {
  const priorRate = prior.perSession / prior.meanAgeS
  const watchedS = watchedAge(demand, priorRate)
  const tail = tailOf(demand, watchedS, prior)
  const rates: number[] = []
  let perSession = 0
  let ages = 0
  let before = priorRate
  let seen = 0
  let seenAges = 0
  for (let bucket = 0; bucket < AGE_BUCKETS; bucket++) {
    const fromS = ageBucketFromS(bucket)
    const toS = ageBucketFromS(bucket + 1)
    const midS = (fromS + toS) / 2
    // Watched for several times the age at which they asked, sessions are over, however few requests they made.
    const isOpen = Math.max(0, 1 - watchedS / (LONG_ENOUGH * (1 + seenAges / Math.max(seen, 1))))
    const believed =
      priorRate * Math.exp(-midS / prior.meanAgeS) * Math.max(0, 1 - perSession / ENOUGH) * isOpen
    const rate =
      toS <= watchedS
        ? ((demand.requests[bucket] ?? 0) + BELIEF) /
          ((demand.exposureS[bucket] ?? 0) + BELIEF / before)
        : Math.max(believed, tail.rate * Math.exp(-(midS - tail.atS) / tail.meanS))
    rates.push(rate)
    perSession += rate * (toS - fromS)
    if (toS <= watchedS) {
      seen = perSession
      seenAges += rate * (toS - fromS) * midS
    }
    ages += rate * (toS - fromS) * midS
    const fallen = rate * Math.exp(-(toS - fromS) / prior.meanAgeS)
    before = Math.max(fallen, priorRate * LEAST_BELIEF)
  }
  return {
    rates,
    perSession,
    meanAgeS: ages / perSession,
    watched: seen / perSession,
    settled: watchedS > (2 / 3) * LONG_ENOUGH * (1 + seenAges / Math.max(seen, 1)),
  }
}

/** Up to which age there is evidence. */
function watchedAge({ exposureS }: Demand, priorRate: number): number {
  let bucket = 0
  while (bucket < exposureS.length && exposureS[bucket]! * priorRate >= WATCHED) bucket++
  return ageBucketFromS(bucket)
}

interface Tail {
  readonly rate: number
  readonly atS: number
  readonly meanS: number
}

/**
 * Beyond what was watched the rate goes on falling as it fell over the last two octaves of age,
 * never slower than the prior, and never to more requests than the prior has.
 */
function tailOf(demand: Demand, watchedS: number, prior: KernelPrior): Tail {
  const late = rateBetween(demand, watchedS / 2, watchedS)
  const early = rateBetween(demand, watchedS / 4, watchedS / 2)
  const fall = Math.log(early / late) / (watchedS * (3 / 4 - 3 / 8))
  const rate = Number.isFinite(late) ? late : 0
  const slowest = Math.max(1 / prior.meanAgeS, rate / prior.perSession)
  const meanS = 1 / Math.max(slowest, Number.isFinite(fall) ? fall : 0)
  return { rate, atS: watchedS * (3 / 4), meanS }
}

function rateBetween({ requests, exposureS }: Demand, fromS: number, toS: number): number {
  let asked = 0
  let spentS = 0
  for (let bucket = ageBucketOf(1000 * fromS); bucket < AGE_BUCKETS; bucket++) {
    if (ageBucketFromS(bucket + 1) > toS) break
    asked += requests[bucket] ?? 0
    spentS += exposureS[bucket] ?? 0
  }
  return asked / spentS
}

/** Requests that so many session-seconds bring. */
export function requestsOf({ rates }: Kernel, exposureS: readonly number[]): number {
  return rates.reduce((sum, rate, bucket) => sum + rate * exposureS[bucket]!, 0)
}

/** The sessions that were admitted, and what they are going to ask for. */
export interface Sessions {
  readonly demand: Demand
  /** Measured over forecast load, a slow correction. */
  readonly bias: number
  /** Requests that sessions would have made by now but for the queue: they come later. */
  readonly held: number
}

export const NO_SESSIONS: Sessions = { demand: NO_DEMAND, bias: 1, held: 0 }

export const isSessions: StateSchema = object({
  demand: isDemand,
  bias: number,
  held: atLeastZero,
})

/** Weight of a tick in the correction of the forecast. */
const BIAS_WEIGHT = 0.02
/** Before this part of a session's requests has been watched, the kernel is still finding itself. */
const MOSTLY = 0.7

export interface Foreseen {
  readonly sessions: Sessions
  readonly kernel: Kernel
}

/** `waiting`: requests in a queue that makes sessions ask later than they would, or not at all; 0: there is no such queue. */
export function observeSessions(
  { demand: before, bias: oldBias, held: oldHeld }: Sessions,
  tick: Tick,
  waiting: number,
  prior: KernelPrior,
): Foreseen {
  const delayed = waiting > 0
  const known = withoutEnded(before, tick.ended ?? [])
  const { demand: now, exposureS } = observeDemand(known, tick)
  // Sessions that break off or are held up are not what sessions are.
  const isFrozen = tick.abandoned > LEAVING * tick.completed && kernelOf(known, prior).settled
  const seen = isFrozen ? { ...known, admissions: now.admissions } : now
  const kernel = kernelOf(seen, prior)
  const demand = tick.abandoned > 0 ? withoutSessions(seen, kernel.rates, tick.abandoned) : seen
  const expected = requestsOf(kernel, exposureS)
  const later = oldHeld * Math.exp(-tick.seconds / kernel.meanAgeS)
  const missing = oldHeld + oldBias * expected - tick.requests
  const most = (waiting * kernel.perSession) / 2
  const held = delayed ? Math.max(Math.min(later, missing), Math.min(most, missing), 0) : later
  const ratio = Math.max(0, tick.requests - (delayed ? 0 : oldHeld - later)) / Math.max(expected, 1)
  // What a queue holds up is no reason to foresee less for later.
  const telling = expected > 1 && kernel.watched > MOSTLY && (!delayed || missing < 0)
  const moved = telling ? oldBias + BIAS_WEIGHT * (ratio - oldBias) : oldBias
  const bias = Math.min(1 / MOSTLY, Math.max(MOSTLY, moved))
  return { sessions: { demand, bias, held }, kernel }
}
