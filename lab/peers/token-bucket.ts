import { TokenBucket } from '../../src/admission/token-bucket.ts'
import type { PolicyFactory } from '../gate/policy.ts'
import { type LoadTest, peerOf } from './peer.ts'

interface FixedRateOptions {
  /**
   * The rate as a share of the load test's. Range: above 0. @default 0.75, the usual safety margin
   * (README of Netflix's concurrency-limits)
   */
  readonly share?: number
  /** Burst in seconds of the rate, at least `LEAST_BURST`. Range: above 0. @default 1 */
  readonly burstS?: number
}

const FIXED_RATE_DEFAULTS = {
  share: 0.75,
  burstS: 1,
} as const satisfies FixedRateOptions

/** Minimum burst: at low rates two or three arrivals at once are chance, not a burst. */
export const LEAST_BURST = 10

/**
 * A token bucket with a rate set by hand: for new sessions on session routes, otherwise for
 * requests.
 */
export function fixedRate(options: FixedRateOptions, loadTest: LoadTest): PolicyFactory {
  const { share, burstS } = { ...FIXED_RATE_DEFAULTS, ...options }
  const rate = share * loadTest.saturationRate
  const depth = Math.max(LEAST_BURST, rate * burstS)
  return () => {
    const bucket = new TokenBucket(0, depth)
    bucket.set(rate, depth, 0)
    return { limit: rate, admits: (_klass, nowMs) => bucket.take(1, 0, nowMs) }
  }
}

export const tokenBucket = peerOf('token-bucket', fixedRate, {
  defaults: {},
  '85 %': { share: 0.85 },
  '90 %': { share: 0.9 },
  '95 %': { share: 0.95 },
  '95 %, bursts of 0.2 s': { share: 0.95, burstS: 0.2 },
  '100 %': { share: 1 },
})
