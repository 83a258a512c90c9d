import { bucketOf, HISTOGRAM_BUCKETS, toHistogram } from '../lib/histogram.ts'
import { AGE_BUCKETS, ageBucketOf } from '../lib/session-age-buckets.ts'
import type { ClassFeedback, RouteFeedback } from '../protocol/feedback.ts'
import type { Verdict } from '../protocol/verdict.ts'
import type { InFlightSizes } from './in-flight-sizes.ts'

/** What became of a request that was sent to the origin. */
export type Outcome = 'served' | 'failed' | 'abandoned'

/** What this isolate saw of one class since its last report. */
export class ClassCounters {
  offered = 0
  admitted = 0
  guaranteed = 0
  early = 0
  overQuota = 0
  wouldRefuse = 0
  offeredUs = 0
  requests = 0
  inFlight = 0
  /** What is over the target; the plan may move it. */
  targetMs: number
  #served = 0
  #failed = 0
  #abandoned = 0
  #late = 0
  #latencyUs = 0
  #serviceUs = 0
  readonly #sizes: InFlightSizes | null
  readonly #verdicts = new Map<Verdict, Count>()
  readonly #latency = new Uint32Array(HISTOGRAM_BUCKETS)

  constructor(targetMs: number, sizes: InFlightSizes | null = null) {
    this.targetMs = targetMs
    this.#sizes = sizes
  }

  /** A request goes to the origin. */
  enter(serviceMs: number): void {
    this.requests++
    this.inFlight++
    this.#serviceUs += Math.round(serviceMs * 1000)
    this.#sizes?.enter(serviceMs)
  }

  countVerdict(verdict: Verdict): void {
    const count = this.#verdicts.get(verdict)
    if (count === undefined) this.#verdicts.set(verdict, { value: 1 })
    else count.value++
  }

  /** An `InFlightRequest` calls this once: the origin has done its part. */
  leave(serviceMs: number): void {
    this.inFlight--
    this.#sizes?.leave(serviceMs)
  }

  /** An `InFlightRequest` calls this once. */
  close(outcome: Outcome, headersMs: number, isSample: boolean): void {
    if (outcome === 'abandoned') {
      this.#abandoned++
      return
    }
    if (outcome === 'failed') {
      this.#failed++
      this.#late++
      return
    }
    this.#served++
    if (!isSample || headersMs < 0) return
    if (headersMs > this.targetMs) this.#late++
    this.#latency[bucketOf(headersMs)]! += 1
    this.#latencyUs += Math.round(headersMs * 1000)
  }

  drain(): ClassFeedback {
    const drained: ClassFeedback = {
      offered: this.offered,
      admitted: this.admitted,
      guaranteed: this.guaranteed,
      early: this.early,
      overQuota: this.overQuota,
      wouldRefuse: this.wouldRefuse,
      offeredUs: this.offeredUs,
      admits: this.#reasons('admit'),
      refusals: this.#reasons('refuse'),
      requests: this.requests,
      serviceUs: this.#serviceUs,
      served: this.#served,
      failed: this.#failed,
      abandoned: this.#abandoned,
      late: this.#late,
      latencyUs: this.#latencyUs,
      latency: toHistogram(this.#latency),
      inFlight: this.inFlight,
    }
    this.offered = this.admitted = this.guaranteed = 0
    this.early = this.overQuota = this.wouldRefuse = this.requests = 0
    this.offeredUs = this.#serviceUs = 0
    this.#verdicts.clear()
    this.#served = this.#failed = this.#abandoned = this.#late = this.#latencyUs = 0
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

/** To count on in its place is one look-up instead of two. */
interface Count {
  value: number
}

/** What this isolate saw of one route since its last report. */
export class RouteCounters {
  readonly classes: readonly ClassCounters[]
  readonly #names: readonly string[]
  readonly #ages = new Uint32Array(AGE_BUCKETS)

  constructor(classNames: readonly string[], targetMs: number, sizes: InFlightSizes | null = null) {
    this.#names = classNames
    this.classes = classNames.map(() => new ClassCounters(targetMs, sizes))
  }

  /** Requests of this isolate at the origin now. */
  get inFlight(): number {
    let sum = 0
    for (let i = 0; i < this.classes.length; i++) sum += this.classes[i]!.inFlight
    return sum
  }

  /** The plan may move the target. */
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
