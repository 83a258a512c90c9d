import type { PolicyFactory } from './policy.ts'

/** Knows how many sessions are under way and what the origin can do now: the best that can be done. */
export function clairvoyantSessions(most: (capacity: number) => number): PolicyFactory {
  return (view) => ({ admits: () => view.activeSessions < most(view.capacity) })
}

/** The same for routes without sessions: knows how many requests are at the origin. */
export function clairvoyantRequests(most: (capacity: number) => number): PolicyFactory {
  return (view) => ({ admits: () => view.inFlight < most(view.capacity) })
}
