import { AGE_BUCKETS, ageBucketFromS, ageBucketOf } from '../../lib/session-age-buckets.ts'
import { atLeastZero, list, object, type StateSchema } from '../../lib/state-schema.ts'
import { ALL } from './tick.ts'

/**
 * What sessions ask for, by their age. Requests carry the age of their session; admissions give the
 * session-seconds spent at each age; requests over session-seconds is the rate at which a session of that age asks.
 */
export interface Demand {
  /** Admissions, newest first: seconds, sessions, seconds, sessions, … Older slots are wider. */
  readonly admissions: readonly number[]
  /** By age bucket, both forgotten alike. */
  readonly requests: readonly number[]
  readonly exposureS: readonly number[]
}

export const NO_DEMAND: Demand = { admissions: [], requests: [], exposureS: [] }

export const isDemand: StateSchema = object({
  admissions: list(atLeastZero),
  requests: list(atLeastZero),
  exposureS: list(atLeastZero),
})

/** A slot of admissions is at most this part of its age wide. */
const SLOT_PART = 1 / 12
const OLDEST_S = ageBucketFromS(AGE_BUCKETS)

/** What a tick showed of sessions. */
export interface SessionTick {
  readonly seconds: number
  readonly sessions: number
  /** Requests by age bucket, as a histogram. */
  readonly ages: readonly number[]
}

/** Session-seconds of the tick by age bucket. */
export type Exposure = readonly number[]

export interface Observed {
  readonly demand: Demand
  readonly exposureS: Exposure
}

export function observeDemand(demand: Demand, { seconds, sessions, ages }: SessionTick): Observed {
  const admissions = coarsen([seconds, sessions, ...demand.admissions])
  const requests = widened(demand.requests)
  const exposureS = widened(demand.exposureS)
  const now = new Array<number>(AGE_BUCKETS).fill(0)
  addExposure(now, admissions, seconds)
  for (let bucket = 0; bucket < AGE_BUCKETS; bucket++) exposureS[bucket]! += now[bucket]!
  for (let i = 0; i + 1 < ages.length; i += 2) {
    const bucket = ages[i]!
    if (bucket < AGE_BUCKETS) requests[bucket]! += ages[i + 1]!
  }
  forget(requests, exposureS)
  const seen = { admissions, requests: shortened(requests), exposureS: shortened(exposureS) }
  return { demand: seen, exposureS: now }
}

function widened(values: readonly number[]): number[] {
  const wide = new Array<number>(AGE_BUCKETS).fill(0)
  for (let i = 0; i < values.length; i++) wide[i] = values[i]!
  return wide
}

/** The stored state ends at the last age that was seen, with six digits. */
function shortened(values: readonly number[]): number[] {
  let length = values.length
  while (length > 0 && values[length - 1] === 0) length--
  return values.slice(0, length).map(rounded)
}

function rounded(value: number): number {
  return Number(value.toPrecision(6))
}

function coarsen(slots: readonly number[]): number[] {
  const merged: number[] = []
  let ageS = 0
  for (let i = 0; i < slots.length && ageS < OLDEST_S; i += 2) {
    const widthS = slots[i]!
    const last = merged.length - 2
    const together = last < 0 ? Number.POSITIVE_INFINITY : merged[last]! + widthS
    if (together <= (ageS - (merged[last] ?? 0)) * SLOT_PART) {
      merged[last] = together
      merged[last + 1]! += slots[i + 1]!
    } else merged.push(widthS, slots[i + 1]!)
    ageS += widthS
  }
  return merged
}

/** Session-seconds of this tick by age, exactly: births are even within a slot. */
function addExposure(exposureS: number[], slots: readonly number[], tickS: number): void {
  let youngestS = 0
  for (let i = 0; i < slots.length; i += 2) {
    const widthS = slots[i]!
    const perSecond = slots[i + 1]! / widthS
    const oldestS = youngestS + widthS
    if (perSecond > 0) {
      const upTo = (ageS: number): number => bornWithin(ageS, youngestS, oldestS, tickS)
      const first = ageBucketOf(1000 * Math.max(0, youngestS - tickS))
      const last = ageBucketOf(1000 * oldestS)
      let below = upTo(ageBucketFromS(first))
      for (let bucket = first; bucket <= last; bucket++) {
        const through = upTo(ageBucketFromS(bucket + 1))
        // Differences of nearly equal squares: what is none may come out a hair below it.
        exposureS[bucket]! += perSecond * Math.max(0, through - below)
        below = through
      }
    }
    youngestS = oldestS
  }
}

/** ∫∫ 1[age ≤ a] over a slot's births and the tick's moments; ages are those at the end of the tick. */
function bornWithin(ageS: number, youngestS: number, oldestS: number, tickS: number): number {
  const half = (s: number): number => (s > 0 ? (s * s) / 2 : 0)
  return (
    half(ageS - youngestS + tickS) -
    half(ageS - oldestS + tickS) -
    half(ageS - youngestS) +
    half(ageS - oldestS)
  )
}

/**
 * Clients who went away take their sessions with them: these will ask for nothing more. Who goes is as old as those
 * who ask, so a slot loses in proportion to what it asks for.
 */
export function withoutSessions(demand: Demand, rates: readonly number[], gone: number): Demand {
  const { admissions } = demand
  const asking: number[] = []
  let total = 0
  let ageS = 0
  for (let i = 0; i < admissions.length; i += 2) {
    const share = admissions[i + 1]! * rates[ageBucketOf(1000 * (ageS + admissions[i]! / 2))]!
    asking.push(share)
    total += share
    ageS += admissions[i]!
  }
  if (total <= 0) return demand
  const left = admissions.map((value, i) =>
    i % 2 === 0 ? value : rounded(Math.max(0, value - (gone * asking[(i - 1) / 2]!) / total)),
  )
  return { ...demand, admissions: left }
}

/** Each bucket by its own evidence, so that an age that nobody has for a while keeps what is known of it. */
function forget(requests: number[], exposureS: number[]): void {
  const sum = (values: readonly number[]): number =>
    values.reduce((total, value) => total + value, 0)
  const typical = sum(requests) / Math.max(sum(exposureS), 1e-9)
  for (let bucket = 0; bucket < requests.length; bucket++) {
    const evidence = requests[bucket]! + exposureS[bucket]! * typical
    if (evidence > ALL) {
      requests[bucket]! *= ALL / evidence
      exposureS[bucket]! *= ALL / evidence
    }
  }
}

/**
 * Sessions that the origin has ended ask for nothing more, so they leave the forecast. Their age tells when they were
 * admitted. `ended` has pairs of age bucket and count.
 */
export function withoutEnded(demand: Demand, ended: readonly number[]): Demand {
  if (ended.length === 0) return demand
  const admissions = [...demand.admissions]
  for (let i = 0; i + 1 < ended.length; i += 2) {
    const bucket = ended[i]!
    remove(admissions, (ageBucketFromS(bucket) + ageBucketFromS(bucket + 1)) / 2, ended[i + 1]!)
  }
  return { ...demand, admissions }
}

/** Takes them out of the slot of that age. What the slot does not have comes out of older ones, then of younger ones. */
function remove(admissions: number[], ageS: number, count: number): void {
  const at = slotOf(admissions, ageS)
  let left = count
  for (let slot = at; slot < admissions.length && left > 0; slot += 2)
    left = take(admissions, slot, left)
  for (let slot = at - 2; slot >= 0 && left > 0; slot -= 2) left = take(admissions, slot, left)
}

function slotOf(admissions: readonly number[], ageS: number): number {
  let oldestS = 0
  for (let slot = 0; slot < admissions.length; slot += 2) {
    oldestS += admissions[slot]!
    if (ageS < oldestS) return slot
  }
  return Math.max(0, admissions.length - 2)
}

function take(admissions: number[], slot: number, count: number): number {
  const taken = Math.min(count, admissions[slot + 1]!)
  admissions[slot + 1]! -= taken
  return count - taken
}
