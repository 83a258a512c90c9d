import { describe, it } from 'vitest'
import { forecast, requestCurve } from '../../../src/learners/soc-lqr/forecast.ts'
import {
  NO_SESSIONS,
  observeSessions,
  type Sessions,
} from '../../../src/learners/soc-lqr/kernel.ts'
import type { Tick } from '../../../src/learners/soc-lqr/tick.ts'
import { AGE_BUCKETS, ageBucketFromS } from '../../../src/lib/session-age-buckets.ts'

const PRIOR = { perSession: 10, meanAgeS: 120 }
const NOTHING: Tick = {
  seconds: 5,
  onSessions: true,
  sessions: 0,
  requests: 0,
  offered: 0,
  load: 0,
  completed: 0,
  served: 0,
  abandoned: 0,
  latencyS: 0,
  inFlight: 0,
  ages: [],
  offeredSessions: 0,
  contested: false,
  refusing: false,
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
    sessions = observeSessions(sessions, STEADY, 0, PRIOR).sessions
  }
  return sessions
}

describe('measured over forecast load, c', () => {
  it('is 1 where sessions ask for what is known of them', ({ expect }) => {
    expect(Math.abs(settled().bias - 1)).toBeLessThan(0.05)
  })

  it('moves slowly towards what is measured: no tick counts for more than a tenth', ({
    expect,
  }) => {
    const sessions = { ...settled(), bias: 1 }
    const after = (requests: number) =>
      observeSessions(sessions, { ...STEADY, requests }, 0, PRIOR).sessions.bias
    expect(after(120)).toBeGreaterThan(1)
    expect(after(120)).toBeLessThan(1.1)
    expect(after(30)).toBeLessThan(1)
    expect(after(30)).toBeGreaterThan(0.95)
    // Twice as far off, twice as far: (2 − 1) against (½ − 1).
    expect((after(120) - 1) / (1 - after(30))).toBeCloseTo(2, 0)
  })

  it('is a correction, not a forecast of its own: it never halves or doubles the load', ({
    expect,
  }) => {
    const end = (requests: number) => {
      let sessions = settled()
      for (let tick = 0; tick < 200; tick++) {
        sessions = observeSessions(sessions, { ...STEADY, requests }, 0, PRIOR).sessions
      }
      return sessions.bias
    }
    expect(end(600)).toBeGreaterThan(1.2)
    expect(end(600)).toBeLessThan(2)
    expect(end(6)).toBeLessThan(0.85)
    expect(end(6)).toBeGreaterThan(0.5)
  })

  it('does not fall while there is a queue: sessions that wait ask later, not less', ({
    expect,
  }) => {
    const sessions = { ...settled(), bias: 1 }
    const after = (requests: number) =>
      observeSessions(sessions, { ...STEADY, requests }, 50, PRIOR).sessions.bias
    expect(after(30)).toBe(1)
    expect(after(120)).toBeGreaterThan(1)
  })

  it('is not learned before most of a session has been watched: the kernel finds itself first', ({
    expect,
  }) => {
    const first = observeSessions(NO_SESSIONS, { ...STEADY, requests: 500 }, 0, PRIOR)
    expect(first.kernel.watched).toBeLessThan(0.5)
    expect(first.sessions.bias).toBe(1)
  })
})

describe('requests that a queue holds up', () => {
  const held = (requests: number, waiting: number, before = settled()) =>
    observeSessions(before, { ...STEADY, requests }, waiting, PRIOR).sessions.held

  it('are those that sessions would have made by now', ({ expect }) => {
    expect(Math.abs(held(30, 50) - 30)).toBeLessThan(5)
    expect(held(60, 50)).toBeLessThan(5)
  })

  it('are none where nothing waits: sessions that ask less ask less', ({ expect }) => {
    expect(held(30, 0)).toBe(0)
  })

  it('are no more than those who wait can still ask for', ({ expect }) => {
    expect(held(0, 2)).toBeLessThan(10)
  })

  it('come when the queue is gone: what is held falls by e in the mean age of a session', ({
    expect,
  }) => {
    let sessions: Sessions = { ...settled(), held: 100 }
    for (let s = 0; s < 30; s += STEADY.seconds)
      sessions = observeSessions(sessions, STEADY, 0, PRIOR).sessions
    expect(Math.abs(sessions.held / (100 / Math.E) - 1)).toBeLessThan(0.1)
  })
})

describe('sessions whose clients give up', () => {
  it('ask for nothing more: 30 of the 120 that are there take a quarter of the forecast with them', ({
    expect,
  }) => {
    const sessions = settled()
    const stay = observeSessions(sessions, STEADY, 0, PRIOR)
    const leave = observeSessions(sessions, { ...STEADY, abandoned: 30 }, 0, PRIOR)
    const before = forecast(stay.sessions.demand, requestCurve(stay.kernel.rates), 0)
    const after = forecast(leave.sessions.demand, requestCurve(leave.kernel.rates), 0)
    expect(Math.abs(after / before - 0.75)).toBeLessThan(0.02)
  })

  it('are no reason to believe that sessions ask for less: what is known of whole ones stays', ({
    expect,
  }) => {
    let sessions = settled()
    const known = observeSessions(sessions, STEADY, 0, PRIOR).kernel.perSession
    const broken = { ...STEADY, requests: 20, ages: [0, 20], completed: 60, abandoned: 20 }
    for (let tick = 0; tick < 100; tick++)
      sessions = observeSessions(sessions, broken, 50, PRIOR).sessions
    const { perSession } = observeSessions(sessions, broken, 50, PRIOR).kernel
    expect(perSession / known).toBeCloseTo(1, 2)
  })
})

it('has as many age buckets as the edge sends', ({ expect }) => {
  expect(observeSessions(NO_SESSIONS, STEADY, 0, PRIOR).kernel.rates).toHaveLength(AGE_BUCKETS)
})
