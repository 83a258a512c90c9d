import type { Random } from '../engine/random.ts'
import type { RateProfile } from './rates.ts'

/** When visitors come, whatever becomes of them. */
export interface Arrivals {
  /** The next arrival's time, ascending; infinite when no more come. */
  nextMs(): number
}

/**
 * A Poisson process whose rate may change: a process of rate 1 on a clock that runs as fast as the rate
 * says. Two profiles with the same seed therefore meet the same visitors, only sooner or later.
 */
export function poisson(profile: RateProfile, random: Random): Arrivals {
  let lastMs = 0
  return {
    nextMs() {
      if (lastMs === Number.POSITIVE_INFINITY) return lastMs
      lastMs = profile.whenDue(lastMs, -Math.log(1 - random.next()))
      return lastMs
    },
  }
}
