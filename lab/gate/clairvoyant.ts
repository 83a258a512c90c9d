import type { PolicyFactory, View } from './policy.ts'

/** With so much of the best load there is no room to speak of: the difference is noise. */
const AMPLE = 0.9

/** Knows how many sessions are under way and what the origin can do now: the best that can be done. */
export function clairvoyantSessions(most: (capacity: number) => number): PolicyFactory {
  return (view) => upTo(view, (now) => now.activeSessions, most)
}

/** The same for routes without sessions: knows how many requests are at the origin. */
export function clairvoyantRequests(most: (capacity: number) => number): PolicyFactory {
  return (view) => upTo(view, (now) => now.inFlight, most)
}

function upTo(view: View, load: (view: View) => number, most: (capacity: number) => number) {
  return {
    admits: () => load(view) < most(view.capacity),
    hasRoom: () => load(view) < AMPLE * most(view.capacity),
  }
}
