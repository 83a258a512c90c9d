import { describe, it } from 'vitest'
import { Agenda } from '../../../lab/engine/agenda.ts'
import { streams } from '../../../lab/engine/random.ts'
import { Requests } from '../../../lab/engine/requests.ts'
import { ONE_CLASS, ONE_TIER } from '../../../lab/gate/plant.ts'
import type { PolicyFactory } from '../../../lab/gate/policy.ts'
import { fixedRate } from '../../../lab/peers/token-bucket.ts'
import {
  limitsOf,
  WAITING_ROOM_DEFAULTS,
  WaitingRoom,
  type WaitingRoomLimits,
  type WaitingRoomOptions,
} from '../../../lab/peers/waiting-room.ts'

function policyOf(create: PolicyFactory) {
  return create(
    { inFlight: 0, activeSessions: 0, capacity: 1 },
    {
      granularity: 'request',
      tickMs: 1000,
      classes: ONE_CLASS,
      tiers: ONE_TIER,
      sla: { percentile: 95, targetMs: 200, windowMs: 60_000 },
    },
    { agenda: new Agenda(), requests: new Requests(), random: streams(1) },
  )
}

describe('a token bucket set by hand', () => {
  it('admits 75 % of the saturation rate, with bursts of a second', ({ expect }) => {
    const policy = policyOf(fixedRate({}, { saturationRate: 200, sessionMs: 0 }))
    expect(policy.limit).toBe(150)
    const admitted = (nowMs: number) =>
      Array.from({ length: 1000 }, () => policy.admits(0, nowMs, 0)).filter(Boolean).length
    expect(admitted(0)).toBe(150)
    expect(admitted(100)).toBe(15)
    expect(admitted(60_000)).toBe(150)
  })

  it('admits ten at once even at low rates', ({ expect }) => {
    const policy = policyOf(fixedRate({ share: 1 }, { saturationRate: 2, sessionMs: 140_000 }))
    const admitted = Array.from({ length: 20 }, () => policy.admits(0, 0, 0)).filter(Boolean)
    expect(admitted).toHaveLength(10)
  })
})

describe('a waiting room with fixed limits (Cloudflare, configuration settings)', () => {
  const room = (limits: Partial<WaitingRoomLimits>, options: WaitingRoomOptions = {}) =>
    new WaitingRoom(
      { activeUsers: 1000, newUsersPerMinute: 1000, ...limits },
      { ...WAITING_ROOM_DEFAULTS, ...options },
    )
  const sending = (home: number) => ({
    home,
    visitor: home,
    demandMs: 1,
    tier: 0,
    class: 0,
    luck: 0,
    ageMs: 0,
  })

  it('takes its limits from the load test: 75 % of 2/s, sessions of 140 s and 5 min after', ({
    expect,
  }) => {
    const limits = limitsOf({ saturationRate: 2, sessionMs: 140_000 }, WAITING_ROOM_DEFAULTS)
    // 1.5/s × (140 s + 300 s) and 1.5/s × 60 s
    expect(limits).toEqual({ activeUsers: 660, newUsersPerMinute: 90 })
  })

  it('counts a user as active until the session duration after the last request', ({ expect }) => {
    const waiting = room({ activeUsers: 2 }, { sessionDurationMs: 60_000 })
    expect(waiting.admits(0, 0, 1)).toBe(true)
    expect(waiting.admits(0, 1000, 2)).toBe(true)
    expect(waiting.admits(0, 2000, 3)).toBe(false)
    waiting.sent(0, sending(1), 30_000)
    expect(waiting.activeUsers(60_900)).toBe(2)
    expect(waiting.admits(0, 60_900, 3)).toBe(false)
    // The second user's last request was at 1 s: the place is free from 61 s on.
    expect(waiting.admits(0, 61_000, 3)).toBe(true)
    expect(waiting.admits(0, 61_000, 4)).toBe(false)
    expect(waiting.activeUsers(90_000)).toBe(1)
  })

  it('counts a user once, for any number of requests', ({ expect }) => {
    const waiting = room({})
    waiting.admits(0, 0, 7)
    for (let ms = 0; ms <= 600_000; ms += 10_000) waiting.sent(0, sending(7), ms)
    expect(waiting.activeUsers(600_000)).toBe(1)
    expect(waiting.activeUsers(900_000)).toBe(0)
    waiting.sent(0, sending(7), 900_000) // comes back exactly when the session ends
    expect(waiting.activeUsers(900_000)).toBe(1)
  })

  it('admits no more new users than the minute allows', ({ expect }) => {
    const waiting = room({ newUsersPerMinute: 3 })
    const admitted = (nowMs: number) =>
      [1, 2, 3, 4, 5].filter((home) => waiting.admits(0, nowMs, nowMs + home)).length
    expect(admitted(10_000)).toBe(3)
    expect(admitted(59_999)).toBe(0)
    expect(admitted(60_000)).toBe(3)
  })

  it('admits them evenly if configured: 600 per minute are one each 100 ms', ({ expect }) => {
    const waiting = room({ newUsersPerMinute: 600 }, { newUsers: 'evenly' })
    let admitted = 0
    for (let ms = 0; ms < 10_000; ms += 10) if (waiting.admits(0, ms, ms)) admitted++
    // 10 s of it plus the burst of 10
    expect(Math.abs(admitted - 110)).toBeLessThanOrEqual(1)
  })
})
