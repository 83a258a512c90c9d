import { AGE_BUCKETS, ageBucketFromS, ageBucketOf } from '../../lib/session-age-buckets.ts'
import type { Demand } from './demand.ts'

/** What a session has asked for by a certain age, at the lower ends of the age buckets. */
export interface RequestCurve {
  readonly rates: readonly number[]
  /** H: requests before this age. */
  readonly made: readonly number[]
  /** A: H added up over the ages before this one. A session in each second of T brings A(T) requests within T. */
  readonly area: readonly number[]
}

export function requestCurve(rates: readonly number[]): RequestCurve {
  const made = [0]
  const area = [0]
  for (let bucket = 0; bucket < AGE_BUCKETS; bucket++) {
    const widthS = ageBucketFromS(bucket + 1) - ageBucketFromS(bucket)
    const asked = rates[bucket]! * widthS
    area.push(area[bucket]! + widthS * (made[bucket]! + asked / 2))
    made.push(made[bucket]! + asked)
  }
  return { rates, made, area }
}

const LAST = AGE_BUCKETS - 1

/** H(t) */
export function madeBefore({ rates, made }: RequestCurve, ageS: number): number {
  const bucket = ageBucketOf(1000 * ageS)
  const insideS = Math.min(ageS, ageBucketFromS(LAST + 1)) - ageBucketFromS(bucket)
  return made[bucket]! + rates[bucket]! * insideS
}

/** A(t) = ∫ H */
export function areaBefore({ rates, made, area }: RequestCurve, ageS: number): number {
  const endS = ageBucketFromS(LAST + 1)
  if (ageS >= endS) return area[LAST + 1]! + (ageS - endS) * made[LAST + 1]!
  const bucket = ageBucketOf(1000 * ageS)
  const insideS = ageS - ageBucketFromS(bucket)
  return area[bucket]! + insideS * (made[bucket]! + (rates[bucket]! * insideS) / 2)
}

/** Requests per second that the sessions admitted so far will bring `aheadS` seconds from now. */
export function forecast({ admissions }: Demand, curve: RequestCurve, aheadS: number): number {
  let load = 0
  let before = madeBefore(curve, aheadS)
  let ageS = aheadS
  for (let i = 0; i < admissions.length; i += 2) {
    const widthS = admissions[i]!
    ageS += widthS
    const after = madeBefore(curve, ageS)
    load += (admissions[i + 1]! / widthS) * (after - before)
    before = after
  }
  return load
}

/** F(T): requests that they will bring within T. */
export function comingWithin({ admissions }: Demand, curve: RequestCurve, withinS: number): number {
  let requests = 0
  let ageS = 0
  const ahead = (s: number): number => areaBefore(curve, s + withinS) - areaBefore(curve, s)
  let before = ahead(0)
  for (let i = 0; i < admissions.length; i += 2) {
    const widthS = admissions[i]!
    ageS += widthS
    const after = ahead(ageS)
    requests += (admissions[i + 1]! / widthS) * (after - before)
    before = after
  }
  return requests
}
