import type { Assessment } from '../../src/learners/soc-lqr/operating-point.ts'
import type { Tick } from '../../src/learners/soc-lqr/tick.ts'
import type { Times } from '../../src/learners/soc-lqr/tiers.ts'

/** Exponential service of S0 = 0.1 s, p95 within 1 s in windows of 60 s. */
export const TIMES: Times = {
  meanS: 0.1,
  slackS: 0.7,
  targetS: 1,
  tailS: 0.4,
  windowS: 60,
  aimed: 0.02,
  variation: 1,
  ownSpent: 0,
}

/** A second of a request route in which 100 came and 100 were served within S0. */
export const SECOND: Tick = {
  seconds: 1,
  onSessions: false,
  sessions: 0,
  requests: 100,
  offered: 100,
  load: 100,
  completed: 100,
  served: 100,
  abandoned: 0,
  latencyS: 10,
  inFlight: 10,
  ages: [],
  offeredSessions: 0,
  contested: false,
  refusing: false,
  silent: false,
}

/** Ten seconds at 100/s: nothing waited, nothing was late. */
export const VERDICT: Assessment = {
  seconds: 10,
  completed: 1000,
  requests: 1000,
  load: 100,
  goodput: 100,
  responseS: 0.1,
  queueing: 0,
  spent: 0,
  givenUp: 0,
}
