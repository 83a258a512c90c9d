import type { CapacityEvent, Sample } from '../../src/learners/learner-interface.ts'
import { bucketOf, HISTOGRAM_BUCKETS, toHistogram } from '../../src/lib/histogram.ts'
import { AGE_BUCKETS, ageBucketOf } from '../../src/lib/session-age-buckets.ts'
import { FAILED, type Outcome } from '../engine/requests.ts'
import { classKey } from './plant.ts'
import type { Setting } from './policy.ts'

/** Counts what the coordinator sees in one tick. */
export class TickCounters {
  readonly #setting: Setting
  readonly #tiers: readonly TierCounters[]
  readonly #classes: readonly ClassCounters[]
  readonly #ages = new Float64Array(AGE_BUCKETS)
  #sent = 0
  #refusedKnown = 0
  #abandoned = 0

  constructor(setting: Setting) {
    this.#setting = setting
    this.#tiers = setting.tiers.map((name) => new TierCounters(name))
    this.#classes = setting.classes.map(() => new ClassCounters())
  }

  asked(klass: number, admitted: boolean): void {
    const counters = this.#classes[klass]!
    counters.offered++
    if (admitted) counters.admitted++
  }

  sent(ageMs: number): void {
    this.#sent++
    if (ageMs >= 0) this.#ages[ageBucketOf(ageMs)]!++
  }

  refusedKnown(): void {
    this.#refusedKnown++
  }

  abandoned(): void {
    this.#abandoned++
  }

  finished(tier: number, klass: number, latencyMs: number, outcome: Outcome): void {
    this.#tiers[tier]!.add(latencyMs, outcome, this.#setting.sla.targetMs)
    this.#classes[klass]!.add(latencyMs, outcome)
  }

  /** Returns the sample of the tick and resets the counters. */
  take(lengthMs: number, inFlight: number, capacity: readonly CapacityEvent[]): Sample {
    const { granularity, sla, classes } = this.#setting
    const perSecond = 1000 / lengthMs
    const sum = (pick: (counters: ClassCounters) => number) =>
      this.#classes.reduce((total, counters) => total + pick(counters), 0)
    const offered = sum((counters) => counters.offered)
    const admitted = sum((counters) => counters.admitted)
    const failed = sum((counters) => counters.failed)
    const served = this.#tiers.reduce((total, tier) => total + tier.completed, 0) - failed
    const onSessions = granularity === 'session'
    const sample: Sample = {
      lengthMs,
      granularity,
      offered: {
        sessions: onSessions ? offered * perSecond : 0,
        requests: (this.#sent + this.#refusedKnown + offered - admitted) * perSecond,
      },
      admitted: {
        sessions: onSessions ? admitted * perSecond : 0,
        requests: this.#sent * perSecond,
      },
      goodput: served * perSecond,
      failures: failed * perSecond,
      abandoned: this.#abandoned * perSecond,
      inFlight,
      tiers: this.#tiers.map((tier) => ({
        name: tier.name,
        ...sla,
        completed: tier.completed,
        late: tier.late,
        latencyUs: tier.latencyUs,
        latency: toHistogram(tier.counts),
      })),
      classes: classes.map((klass, i) => ({
        key: classKey(klass),
        value: klass.value,
        percentile: sla.percentile,
        targetMs: sla.targetMs,
        offered: this.#classes[i]!.offered * perSecond,
        admitted: this.#classes[i]!.admitted * perSecond,
        latency: toHistogram(this.#classes[i]!.counts),
        failures: this.#classes[i]!.failed * perSecond,
      })),
      ages: toHistogram(this.#ages),
      capacity,
    }
    this.#clear()
    return sample
  }

  #clear(): void {
    for (const counters of this.#tiers) counters.clear()
    for (const counters of this.#classes) counters.clear()
    this.#ages.fill(0)
    this.#sent = 0
    this.#refusedKnown = 0
    this.#abandoned = 0
  }
}

class TierCounters {
  readonly name: string
  readonly counts = new Float64Array(HISTOGRAM_BUCKETS)
  completed = 0
  late = 0
  latencyUs = 0

  constructor(name: string) {
    this.name = name
  }

  add(latencyMs: number, outcome: Outcome, targetMs: number): void {
    this.completed++
    if (outcome === FAILED) {
      this.late++
      return
    }
    if (latencyMs > targetMs) this.late++
    this.latencyUs += Math.round(latencyMs * 1000)
    this.counts[bucketOf(latencyMs)]!++
  }

  clear(): void {
    this.completed = 0
    this.late = 0
    this.latencyUs = 0
    this.counts.fill(0)
  }
}

class ClassCounters {
  readonly counts = new Float64Array(HISTOGRAM_BUCKETS)
  offered = 0
  admitted = 0
  failed = 0

  add(latencyMs: number, outcome: Outcome): void {
    if (outcome === FAILED) this.failed++
    else this.counts[bucketOf(latencyMs)]!++
  }

  clear(): void {
    this.offered = 0
    this.admitted = 0
    this.failed = 0
    this.counts.fill(0)
  }
}
