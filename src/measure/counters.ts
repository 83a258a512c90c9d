import { bucketOf, HISTOGRAM_BUCKETS, toHistogram } from '../lib/histogram.ts'
import { AGE_BUCKETS, ageBucketOf } from '../lib/session-age-buckets.ts'
import type { ClassFeedback, RouteFeedback } from '../protocol/feedback.ts'
import type { Verdict } from '../protocol/verdict.ts'
import type { InService } from './in-flight-sizes.ts'

/** What this isolate saw of one class since its last report. */
export class ClassTally {
  offered = 0
  admitted = 0
  guaranteed = 0
  early = 0
  unfair = 0
  spared = 0
  offeredUs = 0
  requests = 0
  inService = 0
  /** What is over the target; the plan may move it. */
  targetMs: number
  #served = 0
  #failed = 0
  #abandoned = 0
  #late = 0
  #latencyUs = 0
  #serviceUs = 0
  readonly #sizes: InService | null
  readonly #verdicts = new Map<Verdict, Count>()
  readonly #latency = new Uint32Array(HISTOGRAM_BUCKETS)
  readonly #lastByte = new Uint32Array(HISTOGRAM_BUCKETS)

  constructor(targetMs: number, sizes: InService | null = null) {
    this.targetMs = targetMs
    this.#sizes = sizes
  }

  /**
   * A request goes to the origin: the ticket says later what became of it. Where sizes are kept, `serviceMs` is
   * its own, and `others` are beside it at the same server.
   */
  open(nowMs: number, serviceMs = 0, others = 0): Ticket {
    this.requests++
    this.inService++
    this.#serviceUs += Math.round(serviceMs * 1000)
    this.#sizes?.enter(serviceMs)
    return new Ticket(this, nowMs, serviceMs, others)
  }

  judged(verdict: Verdict): void {
    const count = this.#verdicts.get(verdict)
    if (count === undefined) this.#verdicts.set(verdict, { value: 1 })
    else count.value++
  }

  /** Only a ticket calls this, once: the origin has done its part. */
  leave(serviceMs: number): void {
    this.inService--
    this.#sizes?.leave(serviceMs)
  }

  /** Only a ticket calls this, once. */
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

  watched(lastByteMs: number): void {
    this.#lastByte[bucketOf(lastByteMs)]! += 1
  }

  drain(): ClassFeedback {
    const drained: ClassFeedback = {
      offered: this.offered,
      admitted: this.admitted,
      guaranteed: this.guaranteed,
      early: this.early,
      unfair: this.unfair,
      spared: this.spared,
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
      lastByte: toHistogram(this.#lastByte),
      inService: this.inService,
    }
    this.offered = this.admitted = this.guaranteed = 0
    this.early = this.unfair = this.spared = this.requests = 0
    this.offeredUs = this.#serviceUs = 0
    this.#verdicts.clear()
    this.#served = this.#failed = this.#abandoned = this.#late = this.#latencyUs = 0
    this.#latency.fill(0)
    this.#lastByte.fill(0)
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

export type Outcome = 'served' | 'failed' | 'abandoned'

/** What is admitted is settled exactly once: served, failed or abandoned. */
export class Ticket {
  readonly #tally: ClassTally
  readonly #openedAtMs: number
  readonly #serviceMs: number
  /** Requests beside this one at its server, when it was opened. */
  readonly others: number
  #headersMs = -1
  #isSample = true
  #settled = false

  constructor(tally: ClassTally, openedAtMs: number, serviceMs = 0, others = 0) {
    this.#tally = tally
    this.#openedAtMs = openedAtMs
    this.#serviceMs = serviceMs
    this.others = others
  }

  get isSettled(): boolean {
    return this.#settled
  }

  get openedAtMs(): number {
    return this.#openedAtMs
  }

  /** The response time, where it tells something of the origin. */
  get sampleMs(): number | null {
    return this.#isSample && this.#headersMs >= 0 ? this.#headersMs : null
  }

  /** The origin's headers are here: this is the response time that the learner sees. */
  headers(nowMs: number, isSample: boolean): void {
    // The client may have gone a moment before, or the ticket may have been given up as lost.
    if (this.#settled || this.#headersMs >= 0) return
    // From here on a slow client may hold the answer up, which is no work of the origin's.
    this.#tally.leave(this.#serviceMs)
    this.#headersMs = Math.max(0, nowMs - this.#openedAtMs)
    this.#isSample = isSample
  }

  lastByte(nowMs: number): void {
    if (!this.#settled) this.#tally.watched(Math.max(0, nowMs - this.#openedAtMs))
  }

  settle(outcome: Outcome): void {
    if (this.#settled) throw new Error('This ticket is settled already')
    this.#settled = true
    if (this.#headersMs < 0) this.#tally.leave(this.#serviceMs)
    this.#tally.close(outcome, this.#headersMs, this.#isSample)
  }

  /** For the places where two ends race, such as the client's reset and the origin's answer. */
  settleUnlessSettled(outcome: Outcome): void {
    if (!this.#settled) this.settle(outcome)
  }
}

/** What this isolate saw of one route since its last report. */
export class RouteTally {
  readonly classes: readonly ClassTally[]
  readonly #names: readonly string[]
  readonly #ages = new Uint32Array(AGE_BUCKETS)

  constructor(classNames: readonly string[], targetMs: number, sizes: InService | null = null) {
    this.#names = classNames
    this.classes = classNames.map(() => new ClassTally(targetMs, sizes))
  }

  /** Requests of this isolate at the origin now. */
  get inService(): number {
    let sum = 0
    for (let i = 0; i < this.classes.length; i++) sum += this.classes[i]!.inService
    return sum
  }

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
