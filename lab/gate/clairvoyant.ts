import type { PolicyFactory } from './policy.ts'

/** Knows how many sessions are under way and how many servers are up: the best that can be done. */
export function clairvoyantSessions(most: (servers: number) => number): PolicyFactory {
  return (view) => ({ admits: () => view.activeSessions < most(view.servers) })
}

/** The same for routes without sessions: knows how many requests are at the origin. */
export function clairvoyantRequests(most: (servers: number) => number): PolicyFactory {
  return (view) => ({ admits: () => view.inFlight < most(view.servers) })
}
