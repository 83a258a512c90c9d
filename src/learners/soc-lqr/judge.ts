import type { TierSample } from '../learner-interface.ts'
import type { Interval } from './interval.ts'
import type { Pool } from './pool.ts'
import { closeTier, type Tier } from './tiers.ts'

/** How the origin fared in an interval. */
export interface Assessment {
  readonly seconds: number
  readonly completed: number
  readonly requests: number
  /** Requests per second that it got. */
  readonly load: number
  /** z: mean wait in units of half the slack, of the tier that waits longest. */
  readonly queueing: number
  /** The same as far as it is certain, with what is piling up already. */
  readonly certainQueueing: number
  /** Share over the target in units of what the SLA allows, of the tier that is worst. */
  readonly spent: number
  /** Carried before, and proven to be within the capacity; 0: nothing is. */
  readonly within: number
}

/** A tier that gets little is judged when it has had enough. */
const ENOUGH_OF_A_TIER = 30
const LARGE_TIER = 0.2

export interface Judged {
  readonly tiers: readonly Tier[]
  readonly verdict: Assessment
}

export function judge(
  tiers: readonly Tier[],
  samples: readonly TierSample[],
  interval: Interval,
  pool: Pool,
  { aim, pilingS }: { readonly aim: number; readonly pilingS: number },
): Judged {
  const { seconds, completed, requests } = interval
  const givenUp = interval.vanished / completed
  const rate = completed / seconds
  const closed = tiers.map((tier, i) => {
    const enough = tier.completed >= Math.min(ENOUGH_OF_A_TIER, LARGE_TIER * completed)
    return enough && tier.completed > 0
      ? closeTier(tier, samples[i]!, { aim, givenUp, rate })
      : tier
  })
  const queueing = Math.max(0, ...closed.map((tier) => tier.queueing))
  const halfSlackS = pool.slackS / 2
  const chance = (pool.meanS * Math.sqrt(pool.variation / completed)) / halfSlackS
  return {
    tiers: closed,
    verdict: {
      seconds,
      completed,
      requests,
      load: requests / seconds,
      queueing,
      certainQueueing: Math.max(0, queueing - chance, pilingS / halfSlackS),
      spent: Math.max(0, ...closed.map((tier) => tier.spent)),
      within: Math.max(0, ...closed.map((tier) => tier.within)),
    },
  }
}
