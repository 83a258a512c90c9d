/**
 * All counters of a class. The type of a report, its zero value, its merge, its check and the fields that an
 * isolate counts in follow from this table: a new counter is one line here and the place that raises it.
 *
 * `count`: adds up. `us`: a sum of microseconds. `level`: a number at the time of the report, which adds up over
 * senders but not over time. All are whole numbers, so that sums are exact in any order.
 */
export const COUNTERS = {
  /**
   * Asked for a decision: new sessions on session routes, else requests. Without `early` and `overQuota`, and without those
   * who come back with a ticket while others wait: each visitor counts once.
   */
  offered: 'count',
  /** Let in, with those under the guarantee, and with those whom a ticket let in. */
  admitted: 'count',
  /** The admitted that were under the guarantee. */
  guaranteed: 'count',
  /** Came back with a ticket, and the watermark decided: they wait on or enter. */
  tickets: 'count',
  /** The admitted that a ticket let in. */
  byTicket: 'count',
  /** New tickets that came back for the first time, and so got a place in the queue. */
  returned: 'count',
  /** Of those that a ticket let in: entered before, within or after the range that they were promised first. */
  promiseEarly: 'count',
  promiseKept: 'count',
  promiseLate: 'count',
  /** Refused without a draw, because they came back before the time that they were told. */
  early: 'count',
  /** Refused because their client had used up its quota while others were refused. */
  overQuota: 'count',
  /** Let in although the verdict was to refuse (mode `observe`). */
  wouldRefuse: 'count',
  /** Inherent service time of the offered, where it is known. */
  offeredUs: 'us',
  /** Requests sent to the origin, of new and of known sessions. */
  requests: 'count',
  /** Inherent service time of `requests`, where it is known. */
  serviceUs: 'us',
  /** Each of `requests` ends as one of these three. */
  served: 'count',
  failed: 'count',
  abandoned: 'count',
  /** The served and the failed that were over the target, without the ignored. A failure always is. */
  late: 'count',
  /** Time to the headers, of the served without the ignored. */
  latencyUs: 'us',
  /** Requests at the origin. */
  inFlight: 'level',
  /**
   * What the learner ignores of `requests`, `served` and `inFlight`: light answers, answers that do not measure the
   * origin, and requests of clients that left at once. `ignored` also follows the estimate for requests in flight.
   */
  ignored: 'count',
  ignoredServed: 'count',
  ignoredInFlight: 'level',
} as const satisfies Readonly<Record<string, 'count' | 'us' | 'level'>>

export type CounterName = keyof typeof COUNTERS
export type CounterValues = { -readonly [Name in CounterName]: number }

export const COUNTER_NAMES = Object.keys(COUNTERS) as CounterName[]

/** One value for each counter, computed from its name. */
export function mapCounters(compute: (name: CounterName) => number): CounterValues {
  const values = {} as CounterValues
  for (const name of COUNTER_NAMES) values[name] = compute(name)
  return values
}

export const ZERO_COUNTERS: Readonly<CounterValues> = mapCounters(() => 0)
