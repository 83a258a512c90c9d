import type { Random, Streams } from '../engine/random.ts'
import type { RateProfile } from './rates.ts'

/** Arrival times of visitors. They do not depend on what happens to earlier visitors. */
export interface Arrivals {
  /** Time of the next arrival, ascending; infinite if there are no more. */
  nextMs(): number
  /** What a log says about the last visitor; absent: the clients draw it. */
  readonly visit?: LoggedVisit
}

export interface LoggedVisit {
  readonly class?: number
  readonly demandMs?: number
}

export type ArrivalsFactory = (random: Streams) => Arrivals

/**
 * A Poisson process with a changing rate: a process of rate 1 on a clock that runs at the given
 * rate. Two profiles with the same seed have the same visitors at different times.
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

/** A state of a modulated process: its rate per second and its mean length. */
interface MmppState {
  readonly rate: number
  readonly meanMs: number
}

/**
 * Markov-modulated Poisson process, for bursts. The states follow each other in a circle, each for
 * an exponential time. Two states, calm and burst, are usual.
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
        // An arrival that was due at the old rate but after the change comes at the new rate.
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

/** Replays recorded visits: the same ones for every seed. */
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
