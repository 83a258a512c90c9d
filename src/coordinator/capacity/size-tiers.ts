/** How many servers each tier needs for a session rate, all tiers at once (Urgaonkar et al. 2008, §4). */

export interface TierCapacity {
  readonly name: string
  /** λ_i: requests per second that one server takes; above 0. */
  readonly rate: number
  /** β_i: requests at this tier for each request that comes in. */
  readonly visits: number
  readonly min: number
  /** M_i: the degree of replication. */
  readonly max: number
}

export interface TierSize {
  readonly name: string
  /** η_i, before the limits. */
  readonly needed: number
  /** Between `min` and `max`. */
  readonly servers: number
  /** Session rate that these servers carry. */
  readonly carries: number
}

export interface Sizing {
  readonly tiers: readonly TierSize[]
  /** Session rate that all tiers together carry. */
  readonly carries: number
  /** The tier that cannot grow as far as it must, and carries the least; null: all can. */
  readonly limitedBy: string | null
}

/** Keeps rounding errors from asking for one more server: 3.0000000001 servers are 3. */
const ROUNDING = 1e-9

/**
 * Eq. 2: η_i = ⌈β_i λ τ / (λ_i Z)⌉, where τ / Z is the number of requests in a session. A tier that needs more than
 * `max` gets `max`. Then the gate must hold the rate `carries`, because the other servers would not help.
 */
export function sizeTiers(
  sessionRate: number,
  requestsPerSession: number,
  tiers: readonly TierCapacity[],
): Sizing {
  const sizes = tiers.map((tier) => sizeOf(tier, sessionRate, requestsPerSession))
  let carries = Number.POSITIVE_INFINITY
  let limitedBy: string | null = null
  for (const { name, needed, servers, carries: own } of sizes) {
    if (own < carries && needed > servers) limitedBy = name
    carries = Math.min(carries, own)
  }
  return { tiers: sizes, carries, limitedBy }
}

function sizeOf(
  { name, rate, visits, min, max }: TierCapacity,
  sessionRate: number,
  requestsPerSession: number,
): TierSize {
  const perServer = sessionsPerServer({ rate, visits }, requestsPerSession)
  const needed = Math.max(1, Math.ceil(sessionRate / perServer - ROUNDING))
  const servers = Math.min(max, Math.max(min, needed))
  return { name, needed, servers, carries: servers * perServer }
}

/** Session rate that one server of a tier carries. Infinite, if no request comes to the tier. */
export function sessionsPerServer(
  { rate, visits }: Pick<TierCapacity, 'rate' | 'visits'>,
  requestsPerSession: number,
): number {
  const load = visits * requestsPerSession
  return load > 0 ? rate / load : Number.POSITIVE_INFINITY
}
