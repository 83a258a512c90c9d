import { describe, it } from 'vitest'
import { OriginAdmission } from '../../src/admission/origin-admission.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { planOf, routeOf } from '../support/requests.ts'

/** How many are admitted in each second of one isolate. Its plan is for 40 arrivals/s, and 20 of them are to get in. */
function admittedBySecond(draws: NonNullable<Plan['draws']>, perSecond: readonly number[]) {
  const route = routeOf()
  const admission = new OriginAdmission(
    [route],
    0,
    () => 0.5,
    () => 0,
  )
  const plan = {
    ...planOf({ drawLimit: 20, classes: { default: { probability: 0.5 } } }),
    ...{ draws, goodForMs: 3_600_000 },
  }
  admission.follow(plan, { share: 1 }, 0)
  return perSecond.map((arrivals, second) => {
    let count = 0
    for (let i = 0; i < arrivals; i++)
      if (admission.draw(route, 0, 1000 * second + (1000 * i) / arrivals).kind === 'admit') count++
    return count
  })
}

const seconds = (count: number, perSecond: number) => Array.from({ length: count }, () => perSecond)
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

describe('draws with predicted arrivals in one isolate', () => {
  it('admit the limit if the forecast is right, twice too low, or twice too high', ({ expect }) => {
    for (const arrivals of [40, 80, 22]) {
      const admitted = admittedBySecond('forecast', seconds(120, arrivals))
      expect(Math.abs(sum(admitted.slice(60)) / 60 - 20), `${arrivals}`).toBeLessThan(0.6)
    }
  })

  it('let everybody in who comes while there is room', ({ expect }) => {
    expect(sum(admittedBySecond('forecast', seconds(60, 10)).slice(30))).toBe(300)
  })

  it('hold a tenfold surge: at most 2 s of the limit are too much', ({ expect }) => {
    for (const draws of ['forecast', 'policy'] as const) {
      const admitted = admittedBySecond(draws, [...seconds(60, 40), ...seconds(10, 400)])
      expect(sum(admitted.slice(60)), draws).toBeLessThan(20 * (10 + 2))
      expect(sum(admitted.slice(60)), draws).toBeGreaterThan(20 * 9)
    }
  })
})

describe('draws of a policy in one isolate', () => {
  it('admit its probability, also where the limit has room', ({ expect }) => {
    expect(sum(admittedBySecond('policy', seconds(60, 10)))).toBe(300)
  })
})
