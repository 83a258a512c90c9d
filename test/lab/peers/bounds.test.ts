import fc from 'fast-check'
import { describe, it } from 'vitest'
import { streams } from '../../../lab/engine/random.ts'
import { ABANDONED, FAILED, type Outcome, SERVED } from '../../../lab/engine/requests.ts'
import { EnvoyGradient } from '../../../lab/peers/envoy-gradient.ts'
import type { Limiter } from '../../../lab/peers/every-request.ts'
import { FailsafeLimiter } from '../../../lab/peers/failsafe-limiter.ts'
import { KratosBbr } from '../../../lab/peers/kratos-bbr.ts'
import { AimdLimit } from '../../../lab/peers/netflix-aimd.ts'
import { Gradient2 } from '../../../lab/peers/netflix-gradient2.ts'
import { Vegas } from '../../../lab/peers/netflix-vegas.ts'
import { type Limit, WindowedLimit } from '../../../lab/peers/netflix-window.ts'

const SLA = { percentile: 95, targetMs: 200, windowMs: 60_000 }

interface Bounded {
  readonly limiter: Limiter
  readonly limit: () => number
  readonly least: number
  readonly most: number
}

const windowed = (limit: Limit, least: number, most: number): Bounded => ({
  limiter: new WindowedLimit(limit, { leastSamples: 1 }),
  limit: () => limit.limit,
  least,
  most,
})

const CREATE: Readonly<Record<string, () => Bounded>> = {
  'Envoy’s gradient controller, 3 to 1000': () => {
    const limiter = new EnvoyGradient({ requestCount: 5 }, SLA.targetMs, streams(1)('test'))
    return { limiter, limit: () => limiter.limit, least: 3, most: 1000 }
  },
  'Envoy’s with a fixed minRTT, 3 to 1000': () => {
    const limiter = new EnvoyGradient({ minRttOfTarget: 0.5 }, SLA.targetMs, streams(1)('test'))
    return { limiter, limit: () => limiter.limit, least: 3, most: 1000 }
  },
  'Gradient2, 20 to 200': () => windowed(new Gradient2(), 20, 200),
  'Vegas, 1 to 1000': () => windowed(new Vegas({}, streams(1)('test')), 1, 1000),
  'AIMD, 20 to 200': () => windowed(new AimdLimit(), 20, 200),
  'failsafe-go’s, 1 to 200': () => {
    const limiter = new FailsafeLimiter({ recentSamples: 2 })
    return { limiter, limit: () => limiter.limit, least: 1, most: 200 }
  },
  'kratos’ BBR, from 0': () => {
    const limiter = new KratosBbr({}, SLA)
    let nowMs = 0
    const watched: Limiter = {
      accepts: (inFlight, ms) => limiter.accepts(inFlight, ms),
      finished(outcome, latencyMs, inFlight, ms) {
        nowMs = ms
        limiter.finished(outcome, latencyMs, inFlight, ms)
      },
    }
    return {
      limiter: watched,
      limit: () => limiter.maxInFlight(nowMs),
      least: 0,
      most: Number.POSITIVE_INFINITY,
    }
  },
}

const answers = fc.array(
  fc.record({
    pauseMs: fc.oneof(fc.nat(50), fc.nat(100_000)),
    latencyMs: fc.oneof(fc.constant(0), fc.nat(1000), fc.double({ min: 0, max: 1e9, noNaN: true })),
    inFlight: fc.integer({ min: 1, max: 2000 }),
    outcome: fc.constantFrom<Outcome>(SERVED, SERVED, SERVED, FAILED, ABANDONED),
  }),
  { maxLength: 300 },
)

describe('limits stay within their bounds for any input', () => {
  for (const [name, create] of Object.entries(CREATE)) {
    it(name, ({ expect }) => {
      fc.assert(
        fc.property(answers, (list) => {
          const { limiter, limit, least, most } = create()
          let nowMs = 0
          for (const { pauseMs, latencyMs, inFlight, outcome } of list) {
            nowMs += pauseMs
            limiter.accepts(inFlight, nowMs)
            limiter.sent?.(nowMs)
            limiter.finished(outcome, latencyMs, inFlight, nowMs)
            expect(limit()).toBeGreaterThanOrEqual(least)
            expect(limit()).toBeLessThanOrEqual(most)
            expect(limiter.accepts(0, nowMs)).toBe(true)
          }
        }),
        { numRuns: 50 },
      )
    })
  }
})
