import { describe, it } from 'vitest'
import { ABANDONED, SERVED } from '../../../lab/engine/requests.ts'
import { KRATOS_BBR_DEFAULTS, KratosBbr } from '../../../lab/peers/kratos-bbr.ts'

const SLA = { percentile: 95, targetMs: 200, windowMs: 60_000 }

function finish(limiter: KratosBbr, count: number, latencyMs: number, nowMs: number) {
  for (let i = 0; i < count; i++) limiter.finished(SERVED, latencyMs, 1, nowMs)
}

/** Twenty answers of 40 ms in one bucket and eight of 24.5 ms in the next; at 200 ms both are full. */
function measured() {
  const limiter = new KratosBbr({}, SLA)
  finish(limiter, 20, 40, 50)
  finish(limiter, 8, 24.5, 150)
  return limiter
}

describe('the BBR limiter of kratos (go-kratos/aegis)', () => {
  it('looks back 10 s in 100 buckets', ({ expect }) => {
    expect(KRATOS_BBR_DEFAULTS).toMatchObject({ windowMs: 10_000, buckets: 100 })
  })

  it('estimates ⌊maxPass × ⌈minRT⌉ × buckets per second⌋: 20 × 25 ms × 10/s = 5', ({ expect }) => {
    expect(measured().maxInFlight(200)).toBe(5)
  })

  it('ignores the current bucket and those older than the window', ({ expect }) => {
    const limiter = measured()
    finish(limiter, 1000, 1, 210)
    expect(limiter.maxInFlight(299)).toBe(5)
    expect(limiter.maxInFlight(300)).toBe(10) // 1000 × 1 ms × 10/s
    expect(measured().maxInFlight(10_050)).toBe(2) // only the eight remain: 8 × 25 ms × 10/s
    expect(measured().maxInFlight(20_000)).toBe(Number.POSITIVE_INFINITY)
  })

  it('refuses nothing until more than 5 % of the last second’s answers are late', ({ expect }) => {
    const limiter = measured()
    expect(limiter.accepts(1000, 200)).toBe(true)
    finish(limiter, 1, SLA.targetMs + 1, 250) // 1 of 29
    expect(limiter.accepts(1000, 250)).toBe(true)
    finish(limiter, 1, SLA.targetMs + 1, 250) // 2 of 30
    expect(limiter.accepts(5, 250)).toBe(true)
    expect(limiter.accepts(6, 250)).toBe(false)
  })

  it('continues to refuse for a second after its first refusal, then stops', ({ expect }) => {
    const limiter = measured()
    finish(limiter, 2, SLA.targetMs + 1, 250)
    expect(limiter.accepts(6, 260)).toBe(false)
    expect(limiter.accepts(6, 900)).toBe(false) // Not the first refusal: the second does not start again.
    // From 1200 ms on the late answers are over a second old.
    finish(limiter, 10, 40, 1230)
    expect(limiter.accepts(1000, 1260)).toBe(false)
    expect(limiter.accepts(1000, 1261)).toBe(true)
  })

  it('admits one for any estimate', ({ expect }) => {
    const limiter = new KratosBbr({}, SLA)
    finish(limiter, 1, 1, 50)
    finish(limiter, 1, SLA.targetMs + 1, 150)
    expect(limiter.maxInFlight(200)).toBe(0)
    expect(limiter.accepts(1, 200)).toBe(true)
    expect(limiter.accepts(2, 200)).toBe(false)
  })

  it('treats abandoned requests as a sign of a busy origin, and not as passes', ({ expect }) => {
    const limiter = measured()
    for (let i = 0; i < 100; i++) limiter.finished(ABANDONED, 8000, 1, 180)
    expect(limiter.maxInFlight(200)).toBe(5)
    expect(limiter.accepts(6, 200)).toBe(false)
  })
})
