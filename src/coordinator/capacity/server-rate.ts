/**
 * The request rate that one server takes within a mean response time: a G/G/1 queue (Urgaonkar et al. 2008, eq. 1;
 * Urgaonkar and Shenoy 2005, eq. 14). Times are in milliseconds, rates per second.
 */

export interface QueueTimes {
  /** d: mean response time to keep. */
  readonly responseMs: number
  /** s: mean service time. */
  readonly serviceMs: number
}

/** Variances of one server at its target rate, in ms². */
export interface QueueVariances {
  readonly arrivalMs2: number
  readonly serviceMs2: number
}

/** Squared coefficients of variation: variance divided by the square of the mean. */
export interface QueueVariability {
  /** 1 for Poisson arrivals. */
  readonly arrivals: number
  readonly service: number
}

/**
 * Eq. 1 with the variances as the papers' tables print them. The result is safe: at this rate the upper bound of the
 * response time equals the target. null: the service alone takes longer than the target.
 */
export function boundedRate(
  { responseMs, serviceMs }: QueueTimes,
  { arrivalMs2, serviceMs2 }: QueueVariances,
): number | null {
  if (!(responseMs > serviceMs) || !(serviceMs > 0)) return null
  return 1000 / (serviceMs + (arrivalMs2 + serviceMs2) / (2 * (responseMs - serviceMs)))
}

/**
 * The same for variability that was measured at another rate. The variance of the times between arrivals belongs to
 * the rate at which it was measured, and at a light load it would ruin eq. 1. Its ratio to the squared mean does not
 * depend on the rate. So this solves Kingman's formula for the rate, W = ρ / (1 − ρ) · (C_a² + C_b²) / 2 · s. It is exact
 * for Poisson arrivals.
 *
 * A server with several workers counts as one that is as many times as fast.
 */
export function serverRate(
  { responseMs, serviceMs }: QueueTimes,
  { arrivals, service }: QueueVariability,
  workers = 1,
): number | null {
  if (!(responseMs > serviceMs) || !(serviceMs > 0)) return null
  const eachMs = serviceMs / workers
  const waits = (responseMs - serviceMs) / eachMs
  const utilisation = waits / (waits + (arrivals + service) / 2)
  return (1000 * utilisation) / eachMs
}

/** How many requests, or sessions, one server holds at once (§4). */
export interface ConcurrencyLimit {
  readonly limit: number
  /** A web server with connections that stay open is limited by sessions, other servers by requests. */
  readonly of: 'requests' | 'sessions'
}

/**
 * The rate of a server with a concurrency limit, by Little's law. `requestsPerSessionSecond` is the rate at which one
 * open session asks this tier.
 */
export function withConcurrency(
  rate: number,
  responseMs: number,
  concurrency: ConcurrencyLimit | null,
  requestsPerSessionSecond: number,
): number {
  if (concurrency === null) return rate
  const { limit, of } = concurrency
  const most = of === 'requests' ? (1000 * limit) / responseMs : limit * requestsPerSessionSecond
  return Math.min(rate, most)
}

/** Requests split at random over n servers: each server's arrivals are nearer to Poisson than the sum is. */
export function variabilityPerServer(arrivals: number, servers: number): number {
  return Math.max(0, 1 + (arrivals - 1) / Math.max(1, servers))
}
