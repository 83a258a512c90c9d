/**
 * Batch policing (Cataclysm §3.2): one test for all requests of a class that need about the same
 * service.
 *
 *     Q + (η + ⌈β/n⌉) S ≤ R_sla − d_i      (4); with d_i = 0 it is (3)
 *
 * As it makes sense: not all or nothing, but the largest part of the batch that passes is let in,
 * and η grows by it before the next bucket is judged. A failed bucket spares the test only of
 * buckets with S at least as large, which would fail as well: a small request of a lesser class can
 * pass where a large one of a better class does not.
 */

/** What is known of the servers at the moment of the test. */
export interface ServerLoad {
  /** Q: the wait before service starts. */
  readonly queueingMs: number
  /** η: requests in service at each server, on average. */
  readonly inFlight: number
  /**
   * n. An isolate tests against its share of the servers, say 0.05 of 3: N isolates that each
   * tested against all n would admit N times too much.
   */
  readonly servers: number
  /** R_sla. */
  readonly targetMs: number
  /**
   * The largest inherent service time among the requests in service. Requests that share a server
   * slow each other down: small ones that pass for themselves could still make a large one late. 0:
   * not known.
   */
  readonly longestMs: number
  /** A coin in [0, 1) for the part of a place that a share of the servers leaves over. */
  readonly rounding: number
}

/** Requests of one class that wait for their verdict, and for how long they may have waited. */
export interface ClassBatch {
  /** d_i. */
  readonly delayMs: number
  /** Smallest service time first. */
  readonly buckets: readonly Batch[]
}

export interface Batch {
  /** β. */
  readonly count: number
  /** S. */
  readonly serviceMs: number
}

export interface BatchTestResult {
  /** How many of each class's each bucket are let in, from the head of its queue. */
  readonly admitted: readonly (readonly number[])[]
  readonly tests: number
  /** The smallest service time that was tested and failed, by class; infinite where none did. */
  readonly failedMs: readonly number[]
}

/** Judges classes in the order given: most important first. */
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

/** The largest β that passes (4). */
export function places(load: ServerLoad, serviceMs: number, delayMs: number): number {
  const { queueingMs, inFlight, servers, targetMs, rounding } = load
  const each = (targetMs - delayMs - queueingMs) / serviceMs - inFlight
  // ⌈β/n⌉ counts whole requests at whole servers; a share of the servers has neither.
  const most = Number.isInteger(servers)
    ? servers * Math.floor(each)
    : Math.floor(servers * each + rounding)
  return most > 0 ? most : 0
}
