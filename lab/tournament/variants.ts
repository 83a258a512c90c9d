import { mmpp, poisson } from '../clients/arrivals.ts'
import { flashCrowd, steps } from '../clients/profiles.ts'
import {
  around,
  deterministic,
  exponential,
  fromData,
  logNormal,
  pareto,
} from '../engine/distributions.ts'
import { sharing } from '../origins/sharing.ts'
import { station } from '../origins/station.ts'
import { tiers } from '../origins/tiers.ts'
import { workerPool } from '../origins/worker-pool.ts'
import type { Demand } from './class-clairvoyant.ts'

/** Differences of the tournament's systems from the plain shop and the plain interface. */

/** Nearly constant service: there is either no queue or one that is too long. */
export const TIGHT = {
  service: around({ mean: 1000, spread: 0.1 }),
  sla: { percentile: 95, targetMs: 2000, windowMs: 300_000 },
} as const

/** A heavy tail under processor sharing, as on a server that runs all requests at once. */
export const HEAVY = {
  service: logNormal({ mean: 1000, cv: 2 }),
  sla: { percentile: 95, targetMs: 6000, windowMs: 300_000 },
  origin: sharing({ servers: 20 }),
} as const

/** Response times of a real page, in milliseconds: most are fast, some are reports. */
const PAGE_TIMES = [
  220, 260, 310, 340, 380, 420, 450, 510, 560, 610, 680, 740, 830, 920, 1040, 1190, 1380, 1650,
  2460, 4050,
]
export const MEASURED = { service: fromData({ values: PAGE_TIMES }) } as const

/** Arrivals that the clairvoyant knows, because there are several classes. */
export const FLASH_CROWD: Demand = {
  arrivals: flashCrowd({
    base: 1,
    peak: 12,
    startMs: 300_000,
    doublingMs: 90_000,
    holdMs: 420_000,
  }),
  mix: [0.2, 0.8],
  saturationRate: 2.05,
}

export const MEMBERS = {
  classes: [
    { name: 'members', value: 5, guaranteed: 0.2 },
    { name: 'visitors', value: 1 },
  ],
  mix: FLASH_CROWD.mix,
}

export const BURSTY = {
  service: pareto({ mean: 40, shape: 2.2 }),
  sla: { percentile: 95, targetMs: 300, windowMs: 60_000 },
  origin: sharing({ servers: 8 }),
  arrivals: mmpp([
    { rate: 100, meanMs: 30_000 },
    { rate: 500, meanMs: 15_000 },
  ]),
} as const

export const LEAKING = {
  service: logNormal({ mean: 40, cv: 1.5 }),
  sla: { percentile: 95, targetMs: 400, windowMs: 60_000 },
  arrivals: poisson(steps({ 0: 240 })),
} as const

/** Above 24 requests at once each further one slows the others: at 48 half of the speed is lost. */
export const THRASHING = {
  sla: { percentile: 95, targetMs: 250, windowMs: 60_000 },
  origin: workerPool(
    { workers: 256, backlog: 1000 },
    sharing({ servers: 8, efficiency: (present) => Math.min(1, 24 / present) }),
  ),
} as const

/** Clients wait a second and send again; the origin never notices that they have left. */
export const WASTEFUL = {
  origin: station({ servers: 8, noticesAbandonment: false }),
  patience: deterministic({ value: 1000 }),
  resend: { most: 3, afterMs: 500 },
  timeoutMs: 1500,
} as const

export const ORDERS_SURGE: Demand = {
  arrivals: steps({ 0: 120, 120: 480 }),
  mix: [0.2, 0.8],
  saturationRate: 8 / 0.034, // 0.2 of 50 ms and 0.8 of 30 ms at eight database servers.
}

/** Pages need the web server and the database; orders also need the application between them. */
export const TIERED = {
  sla: { percentile: 95, targetMs: 300, windowMs: 60_000 },
  origin: tiers({
    stations: {
      web: station({ servers: 4 }),
      application: station({ servers: 6 }),
      database: station({ servers: 8 }),
    },
    ways: [
      [
        { station: 'web', demand: exponential({ mean: 5 }) },
        { station: 'application', demand: exponential({ mean: 30 }) },
        { station: 'database', demand: exponential({ mean: 50 }) },
      ],
      [
        { station: 'web', demand: exponential({ mean: 5 }) },
        { station: 'database', demand: exponential({ mean: 30 }) },
      ],
    ],
  }),
  tiers: ['orders', 'pages'],
  classes: [
    { name: 'orders', value: 4, guaranteed: 10 },
    { name: 'pages', value: 1 },
  ],
  mix: ORDERS_SURGE.mix,
  tierOf: [0, 1],
}

export const VALUED_SURGE: Demand = {
  arrivals: steps({ 0: 150, 120: 600 }),
  mix: [0.1, 0.3, 0.6],
  saturationRate: 200,
}

export const VALUED = {
  classes: [
    { name: 'gold', value: 10, guaranteed: 10 },
    { name: 'silver', value: 3 },
    { name: 'bronze', value: 1 },
  ],
  mix: VALUED_SURGE.mix,
}
