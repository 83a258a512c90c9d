import { type ArrivalsFactory, poisson } from '../clients/arrivals.ts'
import { shopSession } from '../clients/phases.ts'
import { constantRate } from '../clients/rates.ts'
import { SHOP_THINK, sessions } from '../clients/sessions.ts'
import { singleRequests } from '../clients/single-requests.ts'
import { type Distribution, deterministic, exponential } from '../engine/distributions.ts'
import type { Change } from '../origins/changes.ts'
import { station } from '../origins/station.ts'
import { clairvoyantRequests, clairvoyantSessions } from './clairvoyant.ts'
import type { Plant, PlantSla } from './plant.ts'
import type { PolicyFactory } from './policy.ts'

interface PlantOptions {
  readonly arrivals?: ArrivalsFactory
  readonly servers?: number
  readonly service?: Distribution
  readonly sla?: PlantSla
  readonly changes?: readonly Change[]
}

/**
 * Sessions: the shop of Bartolini et al. 2009, §7, with its database as the origin. Its 20 servers
 * take two sessions per second.
 */
export function plantS(options: PlantOptions = {}): Plant {
  const service = options.service ?? exponential({ mean: 1000 })
  return {
    granularity: 'session',
    sla: options.sla ?? { percentile: 95, targetMs: 5000, windowMs: 300_000 },
    origin: station({ servers: options.servers ?? 20 }),
    clients: sessions({
      arrivals: options.arrivals ?? poisson(constantRate(4)),
      phases: shopSession({ http: -1, servlet: -1, database: 0 }),
      demands: [service],
      think: SHOP_THINK,
      patience: deterministic({ value: 8000 }),
    }),
    changes: options.changes ?? [],
  }
}

/** Requests without sessions: 8 servers take 200 per second. */
export function plantR(options: PlantOptions = {}): Plant {
  return {
    granularity: 'request',
    sla: options.sla ?? { percentile: 95, targetMs: 200, windowMs: 60_000 },
    origin: station({ servers: options.servers ?? 8 }),
    clients: singleRequests({
      arrivals: options.arrivals ?? poisson(constantRate(300)),
      demand: options.service ?? exponential({ mean: 40 }),
    }),
    changes: options.changes ?? [],
  }
}

/** The best constant number of sessions, found by search: 295 for 20 servers, 169 for 12. */
export const clairvoyantS: PolicyFactory = clairvoyantSessions(
  (servers) => 295 + ((servers - 20) * (295 - 169)) / (20 - 12),
)

/**
 * The best constant number of requests in flight at 300/s, found by search: 15 for 8 servers, 9 for
 * 5. With more arrivals an empty place costs less: at 1000/s 11 are best for 8 servers.
 */
export const clairvoyantR: PolicyFactory = clairvoyantRequests((servers) => 1 + 2 * (servers - 1))
export const clairvoyantRCrowded: PolicyFactory = clairvoyantRequests((servers) => servers + 3)
