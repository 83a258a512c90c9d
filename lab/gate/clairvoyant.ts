import type { Policy, PolicyFactory, View } from './policy.ts'

/**
 * Above this share of the best load the clairvoyant reports no room: the difference would be noise.
 */
const AMPLE = 0.9

/** The load up to which admission is best, by the origin's current capacity. */
export type BestLoad = (capacity: number) => number

/**
 * Share of the best load that each class leaves to more valuable ones, by class number. A place
 * left free now goes to the next valuable visitor. @default none
 */
type Reserves = readonly number[]

/**
 * Knows the number of active sessions and the origin's current capacity: an upper bound for all
 * policies.
 */
export function clairvoyantSessions(most: BestLoad, reserves: Reserves = []): PolicyFactory {
  return (view) => upTo(view, (now) => now.activeSessions, most, reserves)
}

/** The same for routes without sessions: knows the number of requests at the origin. */
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
