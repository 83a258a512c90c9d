/**
 * Batch policing (Urgaonkar and Shenoy 2005, §3.2): one test for all requests of a class with about the same service
 * time.
 *
 *     Q + (η + ⌈β/n⌉) S ≤ R_sla − d_i      (4); with d_i = 0 it is (3)
 *
 * The paper admits a whole batch or nothing. Here the largest part of a batch that passes is admitted, and η grows by
 * it before the next bucket is tested. After a failed bucket, only buckets with S at least as large are refused
 * untested, because they would fail too: a small request of a less important class may pass where a large one of a
 * more important class fails.
 */

/** The servers at the time of the test. */
export interface ServerLoad {
  /** Q: the wait before service starts. */
  readonly queueingMs: number
  /** η: mean number of requests in flight at each server. */
  readonly inFlight: number
  /**
   * n. An isolate tests against its share of the servers, for example 0.05 of 3. If N isolates tested against all n,
   * they would admit N times too much.
   */
  readonly servers: number
  /** R_sla. */
  readonly targetMs: number
  /**
   * The largest inherent service time among the requests in flight. Requests at a server slow each other down: small
   * ones that pass could still make a large one late. 0: unknown.
   */
  readonly longestMs: number
  /** A random number in [0, 1): rounds the fraction of a place that a share of the servers gives. */
  readonly rounding: number
}

/** Waiting requests of one class. */
export interface ClassBatch {
  /** d_i: the longest time that they may have waited. */
  readonly delayMs: number
  /** Smallest service time first. */
  readonly buckets: readonly Batch[]
}

interface Batch {
  /** β. */
  readonly count: number
  /** S. */
  readonly serviceMs: number
}

interface BatchTestResult {
  /** Number of admitted requests by class and bucket, from the head of each queue. */
  readonly admitted: readonly (readonly number[])[]
  readonly tests: number
  /** The smallest service time that failed the test, by class; infinite: none failed. */
  readonly failedMs: readonly number[]
}

/** Tests classes in the given order: most important first. */
export function testBatches(load: ServerLoad, classes: readonly ClassBatch[]): BatchTestResult {
  let { inFlight, longestMs } = load
  let failed = { serviceMs: Number.POSITIVE_INFINITY, delayMs: 0 }
  let tests = 0
  const failedMs = classes.map(() => Number.POSITIVE_INFINITY)
  const admitted = classes.map(({ delayMs, buckets }, i) =>
    buckets.map(({ count, serviceMs }) => {
      if (!(count > 0)) return 0
      if (serviceMs >= failed.serviceMs && delayMs >= failed.delayMs) return 0
      tests++
      const slowest = Math.max(serviceMs, longestMs)
      const passing = Math.min(count, places({ ...load, inFlight }, slowest, delayMs))
      if (passing < count) {
        failed = { serviceMs, delayMs }
        failedMs[i] = serviceMs
      }
      if (passing > 0) {
        inFlight += passing / load.servers
        longestMs = slowest
      }
      return passing
    }),
  )
  return { admitted, tests, failedMs }
}

/** Above the error of the few sums that lead to a number of places. */
const ROUNDING = 1e-9

/** The largest β that passes (4). */
export function places(load: ServerLoad, serviceMs: number, delayMs: number): number {
  const { queueingMs, inFlight, servers, targetMs, rounding } = load
  const exact = (targetMs - delayMs - queueingMs) / serviceMs - inFlight
  // (4) holds at equality too. Sums of fractions come out a little below a whole number.
  const each = exact + ROUNDING * (1 + Math.abs(inFlight))
  // ⌈β/n⌉ counts whole requests at whole servers; a share of the servers has neither.
  const most = Number.isInteger(servers)
    ? servers * Math.floor(each)
    : Math.floor(servers * each + rounding)
  return most > 0 ? most : 0
}
