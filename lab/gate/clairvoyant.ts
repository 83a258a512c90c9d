import type { Policy, PolicyFactory, View } from './policy.ts'

/** With so much of the best load there is no room to speak of: the difference is noise. */
const AMPLE = 0.9

/** The load up to which it is best to let in, by what the origin can do now. */
export type BestLoad = (capacity: number) => number

/**
 * Part of the best load that each class leaves to more valuable ones, by class number. What is left free
 * this moment is the next valuable visitor's place. @default none
 */
type Reserves = readonly number[]

/** Knows how many sessions are under way and what the origin can do now: the best that can be done. */
export function clairvoyantSessions(most: BestLoad, reserves: Reserves = []): PolicyFactory {
  return (view) => upTo(view, (now) => now.activeSessions, most, reserves)
}

/** The same for routes without sessions: knows how many requests are at the origin. */
export function clairvoyantRequests(most: BestLoad, reserves: Reserves = []): PolicyFactory {
  return (view) => upTo(view, (now) => now.inFlight, most, reserves)
}

function upTo(
  view: View,
  load: (view: View) => number,
  most: BestLoad,
  reserves: Reserves,
): Policy {
  return {
    admits: (klass) => load(view) < most(view.capacity) * (1 - (reserves[klass] ?? 0)),
    hasRoom: () => load(view) < AMPLE * most(view.capacity),
  }
}
