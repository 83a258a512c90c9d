import { describe, it } from 'vitest'
import { FAILED, SERVED } from '../../../lab/engine/requests.ts'
import {
  direction,
  FAILSAFE_DEFAULTS,
  FailsafeLimiter,
  type Signals,
} from '../../../lab/peers/failsafe-limiter.ts'

/** A limiter that gets whole windows: fifty answers with the same time. */
function fed() {
  const limiter = new FailsafeLimiter()
  let nowMs = 0
  const window = (latencyMs: number, inFlight = 20) => {
    nowMs += 60_000
    for (let i = 0; i < 50; i++) {
      limiter.sent()
      limiter.finished(SERVED, latencyMs, inFlight, nowMs)
    }
    return limiter.limit
  }
  return { limiter, window }
}

describe('the adaptive limiter of failsafe-go', () => {
  it('has the library’s defaults', ({ expect }) => {
    expect(FAILSAFE_DEFAULTS).toEqual({
      initialLimit: 20,
      minLimit: 1,
      maxLimit: 200,
      maxLimitFactor: 5,
      recentMs: [1000, 30_000],
      recentSamples: 50,
      quantile: 0.9,
      baselineAge: 10,
      correlationWindow: 50,
    })
  })

  it('grows by one step per window without a queue', ({ expect }) => {
    const { window } = fed()
    expect([window(100), window(100), window(100)]).toEqual([21, 22, 23])
  })

  it('smooths by a median of five and an average: it needs three slow windows', ({ expect }) => {
    const { window } = fed()
    for (let i = 0; i < 5; i++) window(100)
    expect(window(1000)).toBe(26)
    expect(window(1000)).toBe(27)
    // Median 1000; recent (7 × 100 + 1000)/8 = 212.5, baseline (7 × 100 + 212.5)/8 = 114.06:
    // ⌈27 (1 − 114.06/212.5)⌉ = 13 in the estimated queue, more than 6.
    expect(window(1000)).toBe(26)
  })

  it('goes down a step where the limit would exceed five times the requests in flight', ({
    expect,
  }) => {
    const { window } = fed()
    expect(window(100, 5)).toBe(21)
    expect(window(100, 4)).toBe(20) // 22 would be over 20: a step down from 21
  })

  it('uses correlations only while it is full', ({ expect }) => {
    // Requests in flight and response time rise together, so the throughput stays constant.
    const limitAfter = (windows: number, held: number) => {
      const { limiter, window } = fed()
      for (let i = 0; i < held; i++) limiter.sent()
      for (let i = 0; i < windows; i++) window(1000 + 10 * i, 100 + i)
      return limiter.limit
    }
    expect(limitAfter(12, 0)).toBe(32)
    // Known from the tenth window on: nine up, three down.
    expect(limitAfter(12, 300)).toBe(26)
  })

  it('waits for fifty answers and a second; errors do not count', ({ expect }) => {
    const limiter = new FailsafeLimiter()
    const finish = (count: number, outcome: typeof SERVED | typeof FAILED, nowMs: number) => {
      for (let i = 0; i < count; i++) {
        limiter.sent()
        limiter.finished(outcome, 100, 20, nowMs)
      }
    }
    finish(49, SERVED, 10)
    finish(50, FAILED, 10)
    expect(limiter.limit).toBe(20)
    finish(1, SERVED, 10)
    expect(limiter.limit).toBe(21)
    finish(500, SERVED, 1010)
    expect(limiter.limit).toBe(21)
    finish(1, SERVED, 1011)
    expect(limiter.limit).toBe(22)
  })

  it('admits while fewer are in flight than the limit', ({ expect }) => {
    const limiter = new FailsafeLimiter()
    expect(limiter.accepts(19)).toBe(true)
    expect(limiter.accepts(20)).toBe(false)
  })
})

describe('the direction of failsafe-go’s limit', () => {
  const towards = (signals: {
    queue?: number
    full?: boolean
    thr?: number
    cv?: number
    rtt?: number
  }) => {
    const { queue = 0, full = true, thr = 1, cv = 1, rtt = 0 } = signals
    const all: Signals = {
      queue,
      step: 1,
      full,
      throughput: { correlation: thr, variationOfY: cv },
      rtt: { correlation: rtt, variationOfY: 0 },
    }
    return direction(all)
  }

  it('follows the queue: up below 3 steps, down above 6', ({ expect }) => {
    expect([2, 3, 6, 7].map((queue) => towards({ queue }))).toEqual([1, 0, 0, -1])
  })

  it('is down if it is full and more in flight bring less throughput', ({ expect }) => {
    expect(towards({ thr: -0.01 })).toBe(-1)
    expect(towards({ thr: -0.01, full: false })).toBe(1)
  })

  it('is down if it is full, throughput hardly follows and response time does', ({ expect }) => {
    expect(towards({ thr: 0.29, rtt: 0.51 })).toBe(-1)
    expect(towards({ thr: 0.3, rtt: 0.51 })).toBe(1)
    expect(towards({ thr: 0.29, rtt: 0.5 })).toBe(1)
    expect(towards({ thr: 0.29, rtt: 0.51, full: false })).toBe(1)
  })

  it('is down if it is full, throughput hardly varies and response time follows', ({ expect }) => {
    expect(towards({ cv: 0.19, rtt: 0.51 })).toBe(-1)
    expect(towards({ cv: 0.2, rtt: 0.51 })).toBe(1)
    expect(towards({ cv: 0.19, rtt: 0.51, full: false })).toBe(1)
  })
})
