import { describe, it } from 'vitest'
import { streams } from '../../../lab/engine/random.ts'
import { ABANDONED, SERVED } from '../../../lab/engine/requests.ts'
import {
  ENVOY_GRADIENT_DEFAULTS,
  EnvoyGradient,
  type EnvoyGradientOptions,
} from '../../../lab/peers/envoy-gradient.ts'

const random = () => streams(1)('test')

/** A controller after its first measurement of the minRTT, at `atMs`. */
function measured(minRttMs: number, options: EnvoyGradientOptions = {}) {
  const limiter = new EnvoyGradient(options, 5000, random())
  const atMs = minRttMs + 1
  for (let i = 0; i < 50; i++) limiter.finished(SERVED, minRttMs, 3, atMs)
  return { limiter, atMs }
}

describe('Envoy’s gradient controller (adaptive concurrency filter)', () => {
  it('has the defaults of the proto file, and the intervals of the documentation’s example', ({
    expect,
  }) => {
    expect(ENVOY_GRADIENT_DEFAULTS).toEqual({
      percentile: 50,
      updateIntervalMs: 100,
      minRttIntervalMs: 60_000,
      jitter: 0.15,
      requestCount: 50,
      minConcurrency: 3,
      buffer: 0.25,
      maxLimit: 1000,
      minRttOfTarget: null,
    })
  })

  it('starts with a measurement: 3 in flight until 50 answers have arrived', ({ expect }) => {
    const limiter = new EnvoyGradient({}, 5000, random())
    expect(limiter.accepts(2, 0)).toBe(true)
    expect(limiter.accepts(3, 0)).toBe(false)
    for (let i = 1; i < 50; i++) limiter.finished(SERVED, 2 * i, 3, 1000)
    expect(limiter.minRttMs).toBe(0)
    limiter.finished(SERVED, 100, 3, 1000)
    // p50 of 2, 4 … 98 and 100
    expect(limiter.minRttMs).toBe(51)
    expect(limiter.limit).toBe(3)
  })

  it('moves to ⌊L + √L⌋, L = limit × clamp(1.25 minRTT / p50, 0.5, 2)', ({ expect }) => {
    const { limiter, atMs } = measured(100)
    let nowMs = atMs
    const limitAfter = (latencyMs: number) => {
      limiter.finished(SERVED, latencyMs, 3, nowMs + 99)
      nowMs += 100
      limiter.accepts(0, nowMs)
      return limiter.limit
    }
    expect(limitAfter(100)).toBe(5) // 3.75 + 1.94
    expect(limitAfter(100)).toBe(8) // 6.25 + 2.5
    expect(limitAfter(500)).toBe(6) // gradient 0.25, so 0.5: 4 + 2
    expect(limitAfter(10)).toBe(15) // gradient 12.5, so 2: 12 + 3.46
    expect(limitAfter(125)).toBe(18) // gradient 1: 15 + 3.87
  })

  it('does nothing in an interval without samples; abandoned requests give none', ({ expect }) => {
    const { limiter, atMs } = measured(100)
    limiter.finished(ABANDONED, 5000, 3, atMs + 50)
    limiter.accepts(0, atMs + 10_000)
    expect(limiter.limit).toBe(3)
  })

  it('measures again after a minute plus up to 15 % at random, and then restores its limit', ({
    expect,
  }) => {
    const { limiter, atMs } = measured(100)
    limiter.finished(SERVED, 10, 3, atMs + 50)
    limiter.accepts(0, atMs + 100)
    expect(limiter.limit).toBe(8) // 6 + 2.45
    const againMs = atMs + 60_000 * (1 + 0.15 * random().next())
    limiter.accepts(0, againMs - 0.001)
    expect(limiter.limit).toBe(8)
    limiter.accepts(0, againMs)
    expect(limiter.limit).toBe(3)
    // Sent before the measurement started: these 50 do not count.
    for (let i = 0; i < 50; i++) limiter.finished(SERVED, 500, 3, againMs + 499)
    expect(limiter.limit).toBe(3)
    for (let i = 0; i < 50; i++) limiter.finished(SERVED, 200, 3, againMs + 499)
    expect(limiter.limit).toBe(8)
    expect(limiter.minRttMs).toBe(200)
  })

  it('measures again at once after five consecutive updates at the minimum limit', ({ expect }) => {
    const { limiter, atMs } = measured(100)
    const slow = (update: number) => {
      limiter.finished(SERVED, 1000, 3, atMs + 100 * update - 1)
      limiter.accepts(0, atMs + 100 * update)
    }
    for (let update = 1; update <= 4; update++) slow(update)
    expect(limiter.limit).toBe(3) // 1.5 + 1.22, but at least 3
    slow(5)
    for (let i = 0; i < 50; i++) limiter.finished(SERVED, 900, 3, atMs + 2000)
    expect(limiter.minRttMs).toBe(900)
  })

  it('never measures if the minRTT is fixed', ({ expect }) => {
    const limiter = new EnvoyGradient({ minRttOfTarget: 0.2 }, 5000, random())
    for (let update = 1; update <= 1000; update++) {
      limiter.finished(SERVED, 60_000, 3, 100 * update - 1)
      limiter.accepts(0, 100 * update)
    }
    expect(limiter.minRttMs).toBe(1000)
    expect(limiter.limit).toBe(3)
  })
})
