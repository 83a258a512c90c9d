import { describe, it } from 'vitest'
import { OriginAdmission } from '../../src/admission/origin-admission.ts'
import type { PlanPart } from '../../src/admission/plan-part.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { planOf, routeOf } from '../support/requests.ts'

/** A plan that lets in 40/s of 400/s at this step of five. */
function degrading(step: number): Plan {
  const plan = planOf({ drawLimit: 40, classes: { default: { probability: 0.1 } } })
  const saved = [0, 0.15, 0.3, 0.45, 0.6, 0.75]
  const quality = { value: 1 - saved[step]!, step, of: 5, lowest: 0.25 / (1 - saved[step]!), saved }
  return { ...plan, routes: { shop: { ...plan.routes.shop!, quality } } }
}

const route = routeOf({
  granularity: 'request',
  whenFull: ['degrade', 'refuse'],
  degrade: { quality: {} },
})

/** An isolate with this part of the limit that has met ten visitors in each of two seconds, and then a step down. */
function admittedBy(part: PlanPart): { before: number; after: number } {
  const admission = new OriginAdmission(
    [route],
    0,
    () => 0.5,
    () => 0,
  )
  const admitted = (nowMs: number): number =>
    Array.from({ length: 10 }, () => admission.draw(route, 0, nowMs)).filter(
      ({ kind }) => kind === 'admit',
    ).length
  admission.follow(degrading(0), part, 0)
  const before = admitted(0)
  admission.follow(degrading(5), part, 1)
  return { before, after: admitted(1) }
}

describe('a step to lower quality', () => {
  it('lets a visitor in beyond the bucket, whose tokens went to requests of full quality', ({
    expect,
  }) => {
    const { before, after } = admittedBy({ share: 1 })
    expect(before).toBeGreaterThan(0)
    expect(after).toBe(1)
  })

  it('lets nobody in beyond the leases of many small isolates: 500 of them, with 40 admissions', ({
    expect,
  }) => {
    let admitted = 0
    for (let i = 0; i < 500; i++) {
      const lease = { load: i < 40 ? 1 : 0, forMs: 2000, holds: 'all' as const }
      admitted += admittedBy({ share: 0.002, lease }).before
    }
    expect(admitted).toBe(40)
  })

  it('needs no visitor beyond the lease afterwards either', ({ expect }) => {
    const lease = { load: 0, forMs: 2000, holds: 'all' as const }
    expect(admittedBy({ share: 0.002, lease })).toEqual({ before: 0, after: 0 })
  })
})
