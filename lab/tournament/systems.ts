import { type ArrivalsFactory, poisson } from '../clients/arrivals.ts'
import type { RetryHabits } from '../clients/entrance.ts'
import { shopSession } from '../clients/phases.ts'
import { constantRate } from '../clients/rates.ts'
import { SHOP_THINK, sessions } from '../clients/sessions.ts'
import { type SingleRequestsOptions, singleRequests } from '../clients/single-requests.ts'
import { type Distribution, deterministic, exponential } from '../engine/distributions.ts'
import type { Plant, PlantClass, PlantSla } from '../gate/plant.ts'
import type { Change } from '../origins/changes.ts'
import type { OriginFactory } from '../origins/origin.ts'
import { station } from '../origins/station.ts'
import type { LoadTest } from '../peers/peer.ts'

/** Database requests per shop session, and its length without waiting (phases.ts). */
const REQUESTS_PER_SESSION = 9.74
const PAGES_PER_SESSION = 13.67

interface SystemOptions {
  /** @default twice the capacity */
  readonly arrivals?: ArrivalsFactory
  readonly servers?: number
  readonly service?: Distribution
  readonly sla?: PlantSla
  readonly origin?: OriginFactory
  readonly classes?: readonly PlantClass[]
  /** Share of the visitors in each class. */
  readonly mix?: readonly number[]
  readonly retries?: RetryHabits
  readonly changes?: readonly Change[]
}

/**
 * The shop of Bartolini et al. 2009, §7, with its database as the origin; visitors wait eight
 * seconds for a page.
 */
export function shop(options: SystemOptions = {}): Plant {
  const { servers = 20, service = exponential({ mean: 1000 }), classes, mix, retries } = options
  const { saturationRate } = shopLoadTest({ servers, service })
  return {
    granularity: 'session',
    sla: options.sla ?? { percentile: 95, targetMs: 5000, windowMs: 300_000 },
    origin: options.origin ?? station({ servers }),
    clients: sessions({
      arrivals: options.arrivals ?? poisson(constantRate(2 * saturationRate)),
      phases: shopSession({ http: -1, servlet: -1, database: 0 }),
      demands: [service],
      think: SHOP_THINK,
      patience: deterministic({ value: 8000 }),
      ...(mix && { mix }),
      ...(retries && { retries }),
    }),
    ...(classes && { classes }),
    changes: options.changes ?? [],
  }
}

export function shopLoadTest({ servers = 20, service }: SystemOptions = {}): LoadTest {
  const serviceMs = service?.mean ?? 1000
  const thinkMs = (PAGES_PER_SESSION - 1) * SHOP_THINK.mean
  return {
    saturationRate: (servers * 1000) / serviceMs / REQUESTS_PER_SESSION,
    sessionMs: thinkMs + REQUESTS_PER_SESSION * serviceMs,
  }
}

interface ApiOptions extends SystemOptions {
  readonly tiers?: readonly string[]
  /** Tier of each class. */
  readonly tierOf?: readonly number[]
  readonly patience?: Distribution
  readonly resend?: NonNullable<SingleRequestsOptions['resend']>
  readonly timeoutMs?: number
}

/** Requests without sessions; eight servers take 200 per second. */
export function api(options: ApiOptions = {}): Plant {
  const { servers = 8, service = exponential({ mean: 40 }), classes, tiers, timeoutMs } = options
  const { mix, retries, patience, resend, tierOf } = options
  const { saturationRate } = apiLoadTest({ servers, service })
  return {
    granularity: 'request',
    sla: options.sla ?? { percentile: 95, targetMs: 200, windowMs: 60_000 },
    origin: options.origin ?? station({ servers }),
    clients: singleRequests({
      arrivals: options.arrivals ?? poisson(constantRate(2 * saturationRate)),
      demand: service,
      ...(mix && { mix }),
      ...(retries && { retries }),
      ...(patience && { patience }),
      ...(resend && { resend }),
      ...(tierOf && { tiers: tierOf }),
    }),
    ...(classes && { classes }),
    ...(tiers && { tiers }),
    ...(timeoutMs && { timeoutMs }),
    changes: options.changes ?? [],
  }
}

export function apiLoadTest({ servers = 8, service }: SystemOptions = {}): LoadTest {
  return { saturationRate: (servers * 1000) / (service?.mean ?? 40), sessionMs: 0 }
}
