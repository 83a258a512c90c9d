import {
  atLeastZero,
  nullable,
  number,
  objectWith,
  positive,
  record,
  text,
} from '../lib/state-schema.ts'
import { PLAN_VERSION, type Plan } from './plan.ts'
import { isNeighbour } from './version.ts'

/** All that draws need. */
const isUsable = objectWith({
  origin: text,
  seq: atLeastZero,
  issuedAtMs: number,
  goodForMs: positive,
  setup: objectWith({ id: text, sinceMs: number }),
  drawLimit: nullable(atLeastZero),
  burst: atLeastZero,
  inFlightCap: nullable(atLeastZero),
  routes: record(
    objectWith({
      limit: nullable(atLeastZero),
      reason: text,
      targetMs: positive,
      classes: record(
        objectWith({
          ...{ probability: atLeastZero, guaranteed: atLeastZero, conforming: atLeastZero },
          ...{ cost: atLeastZero, rank: atLeastZero },
        }),
      ),
    }),
  ),
})

/** A plan of this version, or one of a neighbour that has all that draws need; null: it cannot be followed. */
export function readPlan(given: Plan | null | undefined): Plan | null {
  if (!given) return null
  const version: unknown = given.version
  if (version === PLAN_VERSION) return given
  return isNeighbour(version, PLAN_VERSION) && isUsable(given)
    ? { ...given, version: PLAN_VERSION }
    : null
}
