import { describe, it } from 'vitest'
import { OriginAdmission } from '../../src/admission/origin-admission.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { planOf, routeOf } from '../support/requests.ts'

/** The part of 40 buyers/s that is admitted in 10 s, while others surge tenfold and the plan still lets all in. */
function buyersAdmitted(draws: NonNullable<Plan['draws']>) {
  const classes = [
    { name: 'buyers', match: { path: '/buy' }, value: 10 },
    { name: 'others', value: 1 },
  ]
  const route = routeOf({ classes })
  const admission = new OriginAdmission(
    [route],
    0,
    () => 0.5,
    () => 0,
  )
  const planned = { buyers: { rank: 0 }, others: { rank: 1 } }
  const plan = { ...planOf({ drawLimit: 100, classes: planned }), draws, goodForMs: 60_000 }
  admission.follow(plan, { share: 1 }, 0)
  let [admitted, all] = [0, 0]
  for (let i = 0; i < 4400; i++) {
    const isBuyer = i % 11 === 0
    const { kind } = admission.draw(route, isBuyer ? 0 : 1, (i * 10_000) / 4400)
    if (kind !== 'admit') continue
    all++
    if (isBuyer) admitted++
  }
  return { part: admitted / 400, all }
}

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

describe('draws of several classes', () => {
  it('let the most important one in first, before any plan knows of the surge', ({ expect }) => {
    for (const draws of ['forecast', 'policy'] as const) {
      const { part, all } = buyersAdmitted(draws)
      expect(part, draws).toBe(1)
      expect(all, draws).toBeLessThan(100 * (10 + 1))
      expect(all, draws).toBeGreaterThan(100 * 10)
    }
  })
})
