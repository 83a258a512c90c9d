import { poisson } from '../../lab/clients/arrivals.ts'
import { shopSession } from '../../lab/clients/phases.ts'
import { steps } from '../../lab/clients/profiles.ts'
import { SHOP_THINK, sessions } from '../../lab/clients/sessions.ts'
import { deterministic, exponential } from '../../lab/engine/distributions.ts'
import type { Plant } from '../../lab/gate/plant.ts'
import { clairvoyantRCrowded, clairvoyantS, plantR, plantS } from '../../lab/gate/plants.ts'
import type { PolicyFactory } from '../../lab/gate/policy.ts'

/** The load of every learner: calm, a crowd ten times as large, then a loss of servers. */
export interface Course {
  readonly plant: Plant
  readonly clairvoyant: PolicyFactory
  readonly surgeS: number
  readonly lossS: number
  readonly endS: number
  /** Capacity before and after the loss, in the unit of the limit. */
  readonly capacities: readonly [number, number]
}

interface ShopOptions {
  /** Length of an overload before the calm. @default none */
  readonly overloadS?: number
  /** Is the loss announced? @default no */
  readonly announced?: boolean
}

/** Requests of a session of the shop (Bartolini et al. 2009, §7) that reach the origin. */
const REQUESTS_PER_SESSION = 9.74

/** Sessions: 20 servers of one request a second, of which 8 fail. */
export function shopCourse({ overloadS = 0, announced = false }: ShopOptions = {}): Course {
  const [surgeS, lossS, endS] = [overloadS + 600, overloadS + 1500, overloadS + 2400]
  const before: Record<number, number> = overloadS > 0 ? { 0: 4 } : {}
  const rates = { ...before, [overloadS]: 1.5, [surgeS]: 15 }
  const changes = [{ atMs: 1000 * lossS, servers: 12, announced }]
  return {
    plant: plantS({ arrivals: poisson(steps(rates)), changes }),
    clairvoyant: clairvoyantS,
    surgeS,
    lossS,
    endS,
    capacities: [20 / REQUESTS_PER_SESSION, 12 / REQUESTS_PER_SESSION],
  }
}

/** The same shop with two classes: a fifth of the visitors have ten times the value. */
export function classesCourse(): Course {
  const course = shopCourse()
  const plant: Plant = {
    ...course.plant,
    classes: [
      { name: 'buyers', value: 10 },
      { name: 'browsers', value: 1 },
    ],
    clients: sessions({
      arrivals: poisson(steps({ 0: 1.5, [course.surgeS]: 15 })),
      mix: [0.2, 0.8],
      phases: shopSession({ http: -1, servlet: -1, database: 0 }),
      demands: [exponential({ mean: 1000 })],
      think: SHOP_THINK,
      patience: deterministic({ value: 8000 }),
    }),
  }
  return { ...course, plant }
}

/** Requests without sessions: 8 servers of 25 requests a second, of which 3 fail. */
export function apiCourse(): Course {
  const [surgeS, lossS, endS] = [120, 300, 480]
  return {
    plant: plantR({
      arrivals: poisson(steps({ 0: 100, [surgeS]: 1000 })),
      changes: [{ atMs: 1000 * lossS, servers: 5 }],
    }),
    clairvoyant: clairvoyantRCrowded,
    surgeS,
    lossS,
    endS,
    capacities: [200, 125],
  }
}
