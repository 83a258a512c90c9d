import { bucketOf, HISTOGRAM_BUCKETS, toHistogram } from '../lib/histogram.ts'
import {
  COUNTER_NAMES,
  COUNTERS,
  type CounterValues,
  mapCounters,
  ZERO_COUNTERS,
} from '../protocol/counters.ts'
import type { ClassFeedback } from '../protocol/feedback.ts'
import { cellName } from '../protocol/queue-plan.ts'
import type { Verdict } from '../protocol/verdict.ts'
import type { InFlightSizes } from './in-flight-sizes.ts'

/** An object, so that counting takes one look-up in the map and not two. */
interface Count {
  value: number
}

/** What is counted of a ticket. */
interface CountedTicket {
  readonly keyS: number
  readonly slot: number
  /** 0: it has not come back yet, and has no place. */
  readonly placedMs: number
}

/** Far more than an isolate counts in a second. Tickets beyond it are not counted. */
const MOST_CELLS = 5000

/** How a request to the origin ended. */
export type Outcome = 'served' | 'failed' | 'abandoned'

/** What remains of older requests in the part that is ignored, with each newer one. */
const PART_MEMORY = 0.995

/** A writable field for each counter of the protocol. */
const CounterFields = class {
  constructor() {
    Object.assign(this, ZERO_COUNTERS)
  }
} as new () => CounterValues

/** The counters of one class in this isolate since its last report. */
export class ClassCounters extends CounterFields {
  /** A response that takes longer is late. Each plan sets it. */
  targetMs: number
  readonly #sizes: InFlightSizes | null
  readonly #verdicts = new Map<Verdict, Count>()
  readonly #latency = new Uint32Array(HISTOGRAM_BUCKETS)
  /** Changes of the number of waiting tickets. */
  readonly #places = new Map<string, number>()
  readonly #fresh = new Map<string, number>()
  /** Closed and ignored, and not reported yet. Below 0: too many were reported. */
  #ignoredClosed = 0
  /** Time that the last requests spent at the origin, and the ignored ones of them. */
  #spentMs = 1
  #ignoredMs = 0
  /** What the served cost beyond 1 each, and was not reported yet. */
  #extraCost = 0
  /** Time in flight of those that have left, minus the moments at which the others began. */
  #busyMs = 0

  constructor(targetMs: number, sizes: InFlightSizes | null = null) {
    super()
    this.targetMs = targetMs
    this.#sizes = sizes
  }

  /** A ticket waits from now on, or waits on. */
  ticketJoins(ticket: CountedTicket, bucketS: number): void {
    this.#countTicket(ticket, bucketS, 1)
  }

  /** A ticket does not wait any more, or waits on under another name. */
  ticketLeaves(ticket: CountedTicket, bucketS: number): void {
    this.#countTicket(ticket, bucketS, -1)
  }

  #countTicket({ keyS, slot, placedMs }: CountedTicket, bucketS: number, change: number): void {
    const cells = placedMs > 0 ? this.#places : this.#fresh
    const name = cellName(keyS, bucketS, slot)
    const count = (cells.get(name) ?? 0) + change
    if (count === 0) cells.delete(name)
    else if (cells.size < MOST_CELLS || cells.has(name)) cells.set(name, count)
  }

  countVerdict(verdict: Verdict): void {
    const count = this.#verdicts.get(verdict)
    if (count === undefined) this.#verdicts.set(verdict, { value: 1 })
    else count.value++
  }

  /** The time that requests have been in flight so far, in all. */
  busyMs(nowMs: number): number {
    return this.#busyMs + this.inFlight * nowMs
  }

  /** A request goes to the origin. */
  enter(serviceMs: number, nowMs: number): void {
    this.requests++
    this.inFlight++
    this.#busyMs -= nowMs
    this.serviceUs += Math.round(serviceMs * 1000)
    this.#sizes?.enter(serviceMs)
  }

  /** The origin has answered, or the request has ended. An `InFlightRequest` calls this once. */
  leave(serviceMs: number, nowMs: number): void {
    this.inFlight--
    this.#busyMs += nowMs
    this.#sizes?.leave(serviceMs)
  }

  /**
   * The request is settled. An `InFlightRequest` calls this once. `isIgnored`: it tells the learner nothing. `cost`: of the
   * answer, where 1 is the mean page.
   */
  close(outcome: Outcome, headersMs: number, isIgnored: boolean, cost = 1): void {
    this[outcome]++
    if (outcome === 'failed') this.late++
    // By Little's law the requests in flight are made up as the time that requests spend there.
    const spentMs = Math.max(1, headersMs)
    this.#spentMs = PART_MEMORY * this.#spentMs + spentMs
    this.#ignoredMs = PART_MEMORY * this.#ignoredMs + (isIgnored ? spentMs : 0)
    if (isIgnored) {
      this.#ignoredClosed++
      if (outcome === 'served') this.ignoredServed++
      return
    }
    if (outcome !== 'served' || headersMs < 0) return
    this.#extraCost += cost - 1
    if (headersMs > this.targetMs) this.late++
    this.#latency[bucketOf(headersMs)]! += 1
    this.latencyUs += Math.round(headersMs * 1000)
  }

  drain(): ClassFeedback {
    this.#countIgnored()
    const drained: ClassFeedback = {
      ...mapCounters((name) => this[name]),
      admits: this.#reasons('admit') ?? {},
      refusals: this.#reasons('refuse') ?? {},
      ...this.#optional('degrades', 'degrade'),
      ...this.#optional('redirects', 'redirect'),
      ...this.#drainQueue(),
      ...this.#drainCost(),
      latency: toHistogram(this.#latency),
    }
    for (const name of COUNTER_NAMES) if (COUNTERS[name] !== 'level') this[name] = 0
    this.#verdicts.clear()
    this.#latency.fill(0)
    return drained
  }

  /** In thousandths. Most classes have none, because their answers cost alike. */
  #drainCost(): Pick<ClassFeedback, 'extraCost'> {
    const extraCost = Math.round(this.#extraCost * 1000)
    if (extraCost === 0) return {}
    this.#extraCost -= extraCost / 1000
    return { extraCost }
  }

  /** Only what there is, because most classes have no waiting room. */
  #drainQueue(): Pick<ClassFeedback, 'queued' | 'places' | 'fresh'> {
    const queued = this.#reasons('queue')
    const drained = {
      ...(queued === null ? {} : { queued }),
      ...(this.#places.size > 0 ? { places: Object.fromEntries(this.#places) } : {}),
      ...(this.#fresh.size > 0 ? { fresh: Object.fromEntries(this.#fresh) } : {}),
    }
    this.#places.clear()
    this.#fresh.clear()
    return drained
  }

  /**
   * Which of the requests in flight will be ignored is not known, so their part is estimated. What left is what was
   * closed and the change of this level. So the learner's requests are its answers and the change of its level.
   */
  #countIgnored(): void {
    const level = Math.round((this.inFlight * this.#ignoredMs) / this.#spentMs)
    const ignored = this.#ignoredClosed + level - this.ignoredInFlight
    this.ignored = Math.min(this.requests, Math.max(0, ignored))
    this.#ignoredClosed = ignored - this.ignored
    this.ignoredInFlight = level
  }

  /** A verdict that was counted is replaced by another. */
  recountVerdict(before: Verdict, after: Verdict): void {
    const count = this.#verdicts.get(before)
    // The report in between has it already. Then both are counted.
    if (count !== undefined && count.value > 0) count.value--
    this.countVerdict(after)
  }

  /** null: none of this kind. */
  #reasons(kind: Verdict['kind']): Record<string, number> | null {
    let counts: Record<string, number> | null = null
    for (const [verdict, { value }] of this.#verdicts) {
      if (verdict.kind !== kind || value === 0) continue
      counts ??= {}
      counts[verdict.reason] = value
    }
    return counts
  }

  #optional(name: 'degrades' | 'redirects', kind: Verdict['kind']) {
    const counts = this.#reasons(kind)
    return counts === null ? {} : { [name]: counts }
  }
}
