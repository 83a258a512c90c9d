import fc from 'fast-check'
import { describe, it } from 'vitest'
import { NO_DEMAND, observeDemand } from '../../../src/learners/soc-lqr/demand.ts'
import { withoutEnded } from '../../../src/learners/soc-lqr/ended-sessions.ts'
import { ageBucketOf } from '../../../src/lib/session-age-buckets.ts'

const sessionsIn = (admissions: readonly number[]): number =>
  admissions.reduce((sum, value, i) => (i % 2 === 1 ? sum + value : sum), 0)

/** Ten sessions a second for a minute. */
function minute() {
  let demand = NO_DEMAND
  for (let i = 0; i < 60; i++)
    demand = observeDemand(demand, { seconds: 1, sessions: 10, ages: [] }).demand
  return demand
}

describe('sessions that the origin has ended', () => {
  it('leave the forecast, those of their age first', ({ expect }) => {
    const before = minute()
    const after = withoutEnded(before, [ageBucketOf(30_000), 5])
    expect(sessionsIn(after.admissions)).toBeCloseTo(sessionsIn(before.admissions) - 5)
    let ageS = 0
    for (let i = 0; i < before.admissions.length; i += 2) {
      const isOfThatAge = ageS <= 31 && ageS + before.admissions[i]! >= 28
      if (!isOfThatAge)
        expect(after.admissions[i + 1], `at ${ageS} s`).toBe(before.admissions[i + 1])
      ageS += before.admissions[i]!
    }
  })

  it('never leave fewer than none, and never make more', ({ expect }) => {
    fc.assert(
      fc.property(fc.nat({ max: 87 }), fc.nat({ max: 2000 }), (bucket, count) => {
        const before = minute()
        const { admissions } = withoutEnded(before, [bucket, count])
        expect(admissions.every((value) => value >= 0)).toBe(true)
        const left = Math.max(0, sessionsIn(before.admissions) - count)
        expect(sessionsIn(admissions)).toBeCloseTo(left)
      }),
    )
  })
})
