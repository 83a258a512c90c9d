import { describe, it } from 'vitest'
import { forecast, requestCurve } from '../../../src/learners/soc-lqr/forecast.ts'
import {
  NO_SESSIONS,
  observeSessions,
  type Sessions,
} from '../../../src/learners/soc-lqr/sessions.ts'
import type { Tick } from '../../../src/learners/soc-lqr/tick.ts'
import { AGE_BUCKETS, ageBucketFromS } from '../../../src/lib/session-age-buckets.ts'

const PRIOR = { perSession: 10, meanAgeS: 120 }
const CALM = { vanished: 0, queued: false }
const NOTHING: Tick = {
  seconds: 5,
  onSessions: true,
  sessions: 0,
  requests: 0,
  offered: 0,
  load: 0,
  completed: 0,
  served: 0,
  latencyS: 0,
  inService: 0,
  ages: [],
  offeredSessions: 0,
  contested: false,
  silent: false,
}

/** Two sessions a second that ask 0.1/s for a minute: once all ages are there, 12 requests a second. */
const STEADY: Tick = {
  ...NOTHING,
  sessions: 10,
  requests: 60,
  ages: Array.from({ length: 32 }, (_, bucket) => [
    bucket,
    ageBucketFromS(bucket + 1) - ageBucketFromS(bucket),
  ]).flat(),
}

function settled(): Sessions {
  let sessions = NO_SESSIONS
  for (let tick = 0; tick < 240; tick++) {
    sessions = observeSessions(sessions, STEADY, CALM, PRIOR).sessions
  }
  return sessions
}

describe('measured over forecast load, c', () => {
  it('is 1 where sessions ask for what is known of them', ({ expect }) => {
    expect(Math.abs(settled().bias - 1)).toBeLessThan(0.05)
  })

  it('moves by 0.02 of the difference a tick: twice the requests make 1 to 1.02, half make it 0.99', ({
    expect,
  }) => {
    const sessions = { ...settled(), bias: 1 }
    const after = (requests: number) =>
      observeSessions(sessions, { ...STEADY, requests }, CALM, PRIOR).sessions.bias
    expect(Math.abs(after(120) - 1.02)).toBeLessThan(0.002)
    expect(Math.abs(after(30) - 0.99)).toBeLessThan(0.002)
  })

  it('stays within 0.7 and 1.4', ({ expect }) => {
    const end = (requests: number) => {
      let sessions = settled()
      for (let tick = 0; tick < 200; tick++) {
        sessions = observeSessions(sessions, { ...STEADY, requests }, CALM, PRIOR).sessions
      }
      return sessions.bias
    }
    expect(end(600)).toBe(1.4)
    expect(end(6)).toBe(0.7)
  })

  it('does not fall while there is a queue: sessions that wait ask later, not less', ({
    expect,
  }) => {
    const sessions = { ...settled(), bias: 1 }
    const queued = { vanished: 0, queued: true }
    const after = (requests: number) =>
      observeSessions(sessions, { ...STEADY, requests }, queued, PRIOR).sessions.bias
    expect(after(30)).toBe(1)
    expect(after(120)).toBeGreaterThan(1.015)
  })

  it('is not learned before 0.7 of a session has been watched: the kernel finds itself first', ({
    expect,
  }) => {
    const first = observeSessions(NO_SESSIONS, { ...STEADY, requests: 500 }, CALM, PRIOR)
    expect(first.kernel.watched).toBeLessThan(0.7)
    expect(first.sessions.bias).toBe(1)
  })
})

describe('sessions whose clients give up', () => {
  it('ask for nothing more: 30 of the 120 that are there take a quarter of the forecast with them', ({
    expect,
  }) => {
    const sessions = settled()
    const stay = observeSessions(sessions, STEADY, CALM, PRIOR)
    const leave = observeSessions(sessions, STEADY, { ...CALM, vanished: 30 }, PRIOR)
    const before = forecast(stay.sessions.demand, requestCurve(stay.kernel.rates), 0)
    const after = forecast(leave.sessions.demand, requestCurve(leave.kernel.rates), 0)
    expect(Math.abs(after / before - 0.75)).toBeLessThan(0.02)
  })
})

it('has as many age buckets as the edge sends', ({ expect }) => {
  expect(observeSessions(NO_SESSIONS, STEADY, CALM, PRIOR).kernel.rates).toHaveLength(AGE_BUCKETS)
})
