import { bucketOf, HISTOGRAM_BUCKETS, toHistogram } from '../lib/histogram.ts'
import { AGE_BUCKETS, ageBucketOf } from '../lib/session-age-buckets.ts'
import {
  COUNTER_NAMES,
  COUNTERS,
  type CounterValues,
  mapCounters,
  ZERO_COUNTERS,
} from '../protocol/counters.ts'
import type { ClassFeedback, RouteFeedback } from '../protocol/feedback.ts'
import type { Verdict } from '../protocol/verdict.ts'
import type { InFlightSizes } from './in-flight-sizes.ts'

/** How a request to the origin ended. */
export type Outcome = 'served' | 'failed' | 'abandoned'

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

  constructor(targetMs: number, sizes: InFlightSizes | null = null) {
    super()
    this.targetMs = targetMs
    this.#sizes = sizes
  }

  countVerdict(verdict: Verdict): void {
    const count = this.#verdicts.get(verdict)
    if (count === undefined) this.#verdicts.set(verdict, { value: 1 })
    else count.value++
  }

  /** A request goes to the origin. */
  enter(serviceMs: number): void {
    this.requests++
    this.inFlight++
    this.serviceUs += Math.round(serviceMs * 1000)
    this.#sizes?.enter(serviceMs)
  }

  /** The origin has answered, or the request has ended. An `InFlightRequest` calls this once. */
  leave(serviceMs: number): void {
    this.inFlight--
    this.#sizes?.leave(serviceMs)
  }

  /** The request is settled. An `InFlightRequest` calls this once. */
  close(outcome: Outcome, headersMs: number, isSample: boolean): void {
    this[outcome]++
    if (outcome === 'failed') this.late++
    if (outcome !== 'served' || !isSample || headersMs < 0) return
    if (headersMs > this.targetMs) this.late++
    this.#latency[bucketOf(headersMs)]! += 1
    this.latencyUs += Math.round(headersMs * 1000)
  }

  drain(): ClassFeedback {
    const drained: ClassFeedback = {
      ...mapCounters((name) => this[name]),
      admits: this.#reasons('admit'),
      refusals: this.#reasons('refuse'),
      latency: toHistogram(this.#latency),
    }
    for (const name of COUNTER_NAMES) if (COUNTERS[name] !== 'level') this[name] = 0
    this.#verdicts.clear()
    this.#latency.fill(0)
    return drained
  }

  #reasons(kind: Verdict['kind']): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const [verdict, { value }] of this.#verdicts)
      if (verdict.kind === kind) counts[verdict.reason] = value
    return counts
  }
}

/** An object, so that counting takes one look-up in the map and not two. */
interface Count {
  value: number
}

/** The counters of one route in this isolate since its last report. */
export class RouteCounters {
  readonly classes: readonly ClassCounters[]
  readonly #names: readonly string[]
  readonly #ages = new Uint32Array(AGE_BUCKETS)

  constructor(classNames: readonly string[], targetMs: number, sizes: InFlightSizes | null = null) {
    this.#names = classNames
    this.classes = classNames.map(() => new ClassCounters(targetMs, sizes))
  }

  /** Requests of this isolate in flight. */
  get inFlight(): number {
    let sum = 0
    for (let i = 0; i < this.classes.length; i++) sum += this.classes[i]!.inFlight
    return sum
  }

  /** Each plan sets the target. */
  setTarget(targetMs: number): void {
    for (const counters of this.classes) counters.targetMs = targetMs
  }

  /** A request of an admitted session; a new session's first request has age 0. */
  sessionRequest(ageMs: number): void {
    this.#ages[ageBucketOf(ageMs)]! += 1
  }

  drain(): RouteFeedback {
    const classes: Record<string, ClassFeedback> = {}
    for (const [i, name] of this.#names.entries()) classes[name] = this.classes[i]!.drain()
    const ages = toHistogram(this.#ages)
    this.#ages.fill(0)
    return { classes, ages }
  }
}
