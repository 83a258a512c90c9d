import fc from 'fast-check'
import { describe, it } from 'vitest'
import { streams } from '../../../lab/engine/random.ts'
import { ABANDONED, FAILED, type Outcome, SERVED } from '../../../lab/engine/requests.ts'
import { EnvoyAdmission, type EnvoyAdmissionOptions } from '../../../lab/peers/envoy-admission.ts'
import type { Limiter } from '../../../lab/peers/every-request.ts'
import { SreThrottling, type SreThrottlingOptions } from '../../../lab/peers/sre-throttling.ts'

/** Refuses at random. */
interface Throwing extends Limiter {
  refusalProbability(nowMs: number): number
}

const TARGET_MS = 200
const random = () => streams(1)('test')
const admission = (options: EnvoyAdmissionOptions = {}) =>
  new EnvoyAdmission(options, TARGET_MS, random())
const throttling = (options: SreThrottlingOptions = {}) =>
  new SreThrottling(options, TARGET_MS, random())

function finish(limiter: Limiter, count: number, outcome: Outcome, latencyMs = 10, nowMs = 0) {
  for (let i = 0; i < count; i++) limiter.finished(outcome, latencyMs, 1, nowMs)
}

function refusedOf(limiter: Limiter, tries: number) {
  let refused = 0
  for (let i = 0; i < tries; i++) if (!limiter.accepts(0, 0)) refused++
  return refused
}

describe('Envoy’s admission control', () => {
  it('refuses with (n − s/0.95)/(n + 1): 80 of 100 succeeded, so 0.1563', ({ expect }) => {
    const limiter = admission()
    finish(limiter, 80, SERVED)
    finish(limiter, 20, FAILED)
    const probability = (100 - 80 / 0.95) / 101
    expect(limiter.refusalProbability(0)).toBeCloseTo(probability, 12)
    // 10 000 draws of 0.1563: three standard deviations are 109.
    expect(Math.abs(refusedOf(limiter, 10_000) - 1563)).toBeLessThan(109)
    // It does not count its own refusals.
    expect(limiter.refusalProbability(0)).toBeCloseTo(probability, 12)
  })

  it('refuses nothing from a success rate of 95 % on, for any aggression', ({ expect }) => {
    for (const aggression of [1, 2, 3]) {
      const limiter = admission({ aggression })
      expect(limiter.refusalProbability(0)).toBe(0)
      finish(limiter, 96, SERVED)
      finish(limiter, 4, FAILED)
      expect(limiter.refusalProbability(0)).toBe(0)
      expect(refusedOf(limiter, 100)).toBe(0)
    }
  })

  it('refuses at most 80 %', ({ expect }) => {
    const limiter = admission()
    finish(limiter, 1000, FAILED)
    expect(limiter.refusalProbability(0)).toBe(0.8)
  })

  it('takes the root of the aggression: 0.1563 becomes 0.3954', ({ expect }) => {
    const limiter = admission({ aggression: 2 })
    finish(limiter, 80, SERVED)
    finish(limiter, 20, FAILED)
    expect(limiter.refusalProbability(0)).toBeCloseTo(0.3954, 4)
  })

  it('forgets after 30 s, and waits for the minimum rate if one is set', ({ expect }) => {
    const limiter = admission({ leastRate: 2 })
    finish(limiter, 59, FAILED)
    expect(limiter.refusalProbability(0)).toBe(0)
    finish(limiter, 1, FAILED)
    expect(limiter.refusalProbability(29_999)).toBe(0.8)
    expect(limiter.refusalProbability(30_000)).toBe(0)
  })

  it('uses errors only, unless late answers count as failed', ({ expect }) => {
    const published = admission()
    finish(published, 100, SERVED, TARGET_MS + 1)
    finish(published, 100, ABANDONED, 8000)
    expect(published.refusalProbability(0)).toBe(0)
    const timed = admission({ success: 'in time' })
    finish(timed, 100, SERVED, TARGET_MS)
    expect(timed.refusalProbability(0)).toBe(0)
    finish(timed, 50, SERVED, TARGET_MS + 1)
    finish(timed, 50, ABANDONED, 8000)
    expect(timed.refusalProbability(0)).toBeCloseTo((200 - 100 / 0.95) / 201, 12)
  })
})

describe('client-side throttling (Site Reliability Engineering, ch. 21)', () => {
  const send = (limiter: SreThrottling, count: number, nowMs = 0) => {
    for (let i = 0; i < count; i++) limiter.sent(nowMs)
  }

  it('refuses with (requests − 2 accepts)/(requests + 1): 40 of 100, so 0.198', ({ expect }) => {
    const limiter = throttling()
    send(limiter, 100)
    finish(limiter, 40, SERVED)
    finish(limiter, 20, SERVED, TARGET_MS + 1)
    finish(limiter, 20, FAILED)
    finish(limiter, 20, ABANDONED)
    expect(limiter.refusalProbability(0)).toBeCloseTo(20 / 101, 12)
  })

  it('counts its own refusals as requests', ({ expect }) => {
    const limiter = throttling()
    send(limiter, 100)
    finish(limiter, 40, SERVED)
    for (let i = 0; i < 50; i++) limiter.refused(0)
    expect(limiter.refusalProbability(0)).toBeCloseTo(70 / 151, 12)
  })

  it('refuses nothing while half is accepted, and forgets after two minutes', ({ expect }) => {
    const limiter = throttling()
    send(limiter, 100)
    finish(limiter, 50, SERVED)
    expect(limiter.refusalProbability(0)).toBe(0)
    send(limiter, 100, 60_000)
    expect(limiter.refusalProbability(119_999)).toBeCloseTo(100 / 201, 12)
    finish(limiter, 50, SERVED, 10, 119_999)
    expect(limiter.refusalProbability(120_000)).toBe(0)
  })

  it('counts any answer as accepted if configured', ({ expect }) => {
    const limiter = throttling({ success: 'answered' })
    send(limiter, 100)
    finish(limiter, 100, SERVED, 60_000)
    expect(limiter.refusalProbability(0)).toBe(0)
  })
})

describe('any success rate', () => {
  it('gives a probability from 0 to below 1', ({ expect }) => {
    const outcomes = fc.array(
      fc.record({
        outcome: fc.constantFrom<Outcome>(SERVED, FAILED, ABANDONED),
        latencyMs: fc.nat(1000),
        pauseMs: fc.nat(5000),
        refused: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(outcomes, fc.constantFrom(1, 1.5, 3), (list, aggression) => {
        const limiters: readonly Throwing[] = [
          admission({ success: 'in time', mostRefused: 1, aggression }),
          throttling({ multiplier: aggression + 0.1 }),
        ]
        let nowMs = 0
        for (const { outcome, latencyMs, pauseMs, refused } of list) {
          nowMs += pauseMs
          for (const limiter of limiters) {
            if (refused) limiter.refused?.(nowMs)
            else limiter.sent?.(nowMs)
            limiter.finished(outcome, latencyMs, 1, nowMs)
            const probability = limiter.refusalProbability(nowMs)
            expect(probability).toBeGreaterThanOrEqual(0)
            expect(probability).toBeLessThan(1)
          }
        }
      }),
    )
  })
})
