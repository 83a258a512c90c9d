import { ageBucketFromS } from '../../lib/session-age-buckets.ts'
import type { Demand } from './demand.ts'
import { areaBefore, comingWithin, forecast, type RequestCurve, requestCurve } from './forecast.ts'
import type { Gain } from './gain.ts'
import type { Kernel } from './kernel.ts'

/** The session rate that brings the load to its limit and keeps it there. */
export interface Course {
  /** Requests per second that the origin is to get: L. */
  readonly load: number
  /** Measured over forecast load, a slow correction. */
  readonly bias: number
  /** ω: wait beyond what the operating point has, in units of the slack. */
  readonly excessWait: number
  readonly gain: Gain
}

/** Ages up to which a session has made this part of its requests take part in the fit. */
const HORIZON = 0.8
/** Only every third age bucket: the kernel is smooth, and there is a tick every second. */
const STRIDE = 3
const LEAST = 0.02
const MOST = 4

/**
 * slack(τ) = L − past(τ) − λ* H(τ): what is missing τ seconds from now if λ* = L/M is admitted from now on.
 * The sessions x whose requests x h(τ) fill it best are ν = −x/(λ* D) in the states of the LQR.
 */
export function sessionRate(demand: Demand, kernel: Kernel, course: Course): number {
  const { perSession, meanAgeS } = kernel
  const settled = course.load / perSession
  const missing = missingSessions(demand, kernel, course, settled)
  const deviation = -missing / (settled * meanAgeS)
  const correction = -(course.gain.load * deviation + course.gain.wait * course.excessWait)
  return settled * Math.min(MOST, Math.max(LEAST, 1 + correction))
}

/** x = Σ s h / Σ h² */
function missingSessions(
  demand: Demand,
  kernel: Kernel,
  { load, bias }: Course,
  settled: number,
): number {
  const { rates, perSession } = kernel
  const curve = requestCurve(rates)
  let made = 0
  let fit = 0
  let norm = 0
  for (let bucket = 0; bucket < rates.length && made <= HORIZON * perSession; bucket += STRIDE) {
    const fromS = ageBucketFromS(bucket)
    const toS = ageBucketFromS(bucket + STRIDE)
    const asked = requestsWithin(rates, bucket)
    const rate = asked / (toS - fromS)
    const past = bias * forecast(demand, curve, (fromS + toS) / 2)
    const slack = load - past - settled * (made + asked / 2)
    fit += slack * asked
    norm += rate * asked
    made += asked
  }
  return norm > 0 ? fit / norm : 0
}

function requestsWithin(rates: readonly number[], bucket: number): number {
  let asked = 0
  for (let i = bucket; i < bucket + STRIDE && i < rates.length; i++) {
    asked += rates[i]! * (ageBucketFromS(i + 1) - ageBucketFromS(i))
  }
  return asked
}

/** A debt of requests that wait, to be paid within a time. */
export interface Debt {
  readonly load: number
  readonly bias: number
  readonly requests: number
  readonly withinS: number
  /** No fewer sessions per second than this. */
  readonly least: number
}

/** λ = (L T − debt − F(T)) / A(T): after T just so much waits as at the operating point. */
export function payingRate(demand: Demand, curve: RequestCurve, debt: Debt): number {
  const { load, bias, requests, withinS, least } = debt
  const room = load * withinS - requests - bias * comingWithin(demand, curve, withinS)
  return Math.max(least, room / areaBefore(curve, withinS))
}
