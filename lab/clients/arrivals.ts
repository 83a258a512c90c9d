import type { Random, Streams } from '../engine/random.ts'
import type { RateProfile } from './rates.ts'

/** When visitors come, whatever becomes of them. */
export interface Arrivals {
  /** The next arrival's time, ascending; infinite when no more come. */
  nextMs(): number
  /** What a log knows of the visitor who came last; absent: the clients draw it. */
  readonly visit?: LoggedVisit
}

export interface LoggedVisit {
  readonly class?: number
  readonly demandMs?: number
}

export type ArrivalsFactory = (random: Streams) => Arrivals

/**
 * A Poisson process whose rate may change: a process of rate 1 on a clock that runs as fast as the rate
 * says. Two profiles with the same seed therefore meet the same visitors, only sooner or later.
 */
export function poisson(profile: RateProfile): ArrivalsFactory {
  return (streams) => {
    const random = streams('arrivals')
    let lastMs = 0
    return {
      nextMs() {
        if (lastMs < Number.POSITIVE_INFINITY) lastMs = profile.whenDue(lastMs, unit(random))
        return lastMs
      },
    }
  }
}

/** A state of a modulated process: its rate per second, and how long it lasts in the mean. */
interface MmppState {
  readonly rate: number
  readonly meanMs: number
}

/**
 * Markov-modulated Poisson: bursts. The states follow one another in a circle, each for an exponential
 * time; two states are the usual calm and burst.
 */
export function mmpp(states: readonly MmppState[]): ArrivalsFactory {
  return (streams) => {
    const random = streams('arrivals')
    const phases = streams('bursts')
    let state = 0
    let lastMs = 0
    let changeMs = states[0]!.meanMs * unit(phases)
    return {
      nextMs() {
        let due = unit(random) * 1000
        // What is due at the old rate and does not come before the change comes at the new one.
        while (lastMs + due / states[state]!.rate > changeMs) {
          due -= (changeMs - lastMs) * states[state]!.rate
          lastMs = changeMs
          state = (state + 1) % states.length
          changeMs += states[state]!.meanMs * unit(phases)
        }
        lastMs += due / states[state]!.rate
        return lastMs
      },
    }
  }
}

/** Visits that were written down: the same ones every time, whatever the seed. */
export function replay(
  visits: readonly (LoggedVisit & { readonly atMs: number })[],
): ArrivalsFactory {
  return () => {
    let next = 0
    return {
      nextMs: () => visits[next++]?.atMs ?? Number.POSITIVE_INFINITY,
      get visit() {
        return visits[next - 1] ?? {}
      },
    }
  }
}

/** Exponential with mean 1. */
function unit(random: Random): number {
  return -Math.log(1 - random.next())
}
