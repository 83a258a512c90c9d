import { classKey } from './class-key.ts'
import type { ClassPlan, OwnLimitPlan, Plan } from './plan.ts'

/**
 * One of the limits of a plan: the origin's, which classes share, or that of a class that is limited by itself. All are
 * held in the same way.
 */
export interface LimitPlan extends OwnLimitPlan {
  /** Does the plan let its classes in as a whole? Then the limit is not needed. */
  readonly isAllIn: boolean
  /** The highest and the lowest cost among its classes. */
  readonly highestCost: number
  readonly lowestCost: number
}

/** Names the limit that classes share. That of a class that is limited by itself has the key of the class. */
export const SHARED = ''

/** The limit of a class with this plan. */
export const limitName = (key: string, { own }: Partial<ClassPlan>): string =>
  own === undefined ? SHARED : key

/** All limits of a plan. The shared one comes first. */
export function limitsOf({
  drawLimit,
  inFlightCap,
  burst,
  draws,
  routes,
}: Plan): ReadonlyMap<string, LimitPlan> {
  let isAllIn = true
  let highestCost = 0
  let lowestCost = Number.POSITIVE_INFINITY
  const own = new Map<string, LimitPlan>()
  for (const [route, { classes }] of Object.entries(routes))
    for (const [name, planned] of Object.entries(classes)) {
      const isIn = planned.probability >= 1
      if (planned.own !== undefined) {
        const { cost } = planned
        const limit = { ...planned.own, isAllIn: isIn, highestCost: cost, lowestCost: cost }
        own.set(classKey(route, name), limit)
        continue
      }
      if (!isIn) isAllIn = false
      highestCost = Math.max(highestCost, planned.cost)
      lowestCost = Math.min(lowestCost, planned.cost)
    }
  const rates = { drawLimit, inFlightCap, burst, ...(draws === undefined ? {} : { draws }) }
  return new Map([[SHARED, { ...rates, isAllIn, highestCost, lowestCost }], ...own])
}

/** The keys of the classes that are limited by themselves. */
export const ownKeysOf = (plan: Plan): readonly string[] =>
  [...limitsOf(plan).keys()].filter((name) => name !== SHARED)

/** The name of the limit of a class; that of the shared one if the plan does not know the class. */
export function limitOfClass({ routes }: Plan, key: string): string {
  for (const [route, { classes }] of Object.entries(routes))
    for (const [name, planned] of Object.entries(classes))
      if (classKey(route, name) === key) return limitName(key, planned)
  return SHARED
}
