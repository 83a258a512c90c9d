import { ageBucketFromS } from '../../lib/session-age-buckets.ts'
import type { Demand } from './demand.ts'

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
