import { describe, it } from 'vitest'
import { classTargetMs, targetMsOf } from '../../src/coordinator/class-sla.ts'
import { CLASS, setupOf } from '../support/feedback.ts'

const slaOf = (...targetsMs: number[]) => ({
  percentile: 95,
  targets: targetsMs.map((targetMs, i) => ({ fromRate: 10 * i, targetMs })),
  windowMs: 60_000,
})
const OWN = { ...CLASS, name: 'search', sla: slaOf(3000, 6000) }
const { routes } = setupOf({ routes: { shop: { sla: slaOf(500, 900), classes: [CLASS, OWN] } } })
const shop = routes[0]!

describe('the target in force', () => {
  it('is the row of the table that the route has reached', ({ expect }) => {
    expect(targetMsOf(shop, {})).toBe(500)
    expect(targetMsOf(shop, { shop: 1 })).toBe(900)
  })

  it('of a class with an SLA is its own, in a row of its own', ({ expect }) => {
    expect(classTargetMs(shop, OWN, { shop: 1 })).toBe(3000)
    expect(classTargetMs(shop, OWN, { 'shop/search': 1 })).toBe(6000)
  })

  it('of a class without one is that of its route', ({ expect }) => {
    expect(classTargetMs(shop, CLASS, { shop: 1, 'shop/search': 1 })).toBe(900)
  })

  it('is the first row where a stored row is no longer there', ({ expect }) => {
    expect(targetMsOf(shop, { shop: 7 })).toBe(500)
  })
})
