import type { CapacityTier } from '../config/capacity-rules.ts'
import { bucketOf, HISTOGRAM_BUCKETS, toHistogram } from '../lib/histogram.ts'
import type { TierFeedback } from '../protocol/feedback.ts'
import { loadReportOf } from './load-report.ts'
import { timingsOf } from './server-timing.ts'

/**
 * What the origin's answers say about its tiers, since the last report. `Server-Timing` has a metric for each visit to
 * a tier; `endpoint-load-metrics` (ORCA) has the load of the server, from which the service time follows.
 */
export class TierTimes {
  readonly #tiers: readonly TierCounts[]
  #answers = 0

  constructor(tiers: readonly CapacityTier[]) {
    this.#tiers = tiers.map((tier) => new TierCounts(tier))
  }

  observe(headers: Pick<Headers, 'get'>): void {
    const timing = headers.get('Server-Timing')
    const load = headers.get('endpoint-load-metrics')
    if (timing === null && load === null) return
    let isKnown = false
    if (timing !== null)
      for (const { name, ms } of timingsOf(timing))
        for (const tier of this.#tiers) isKnown = tier.visit(name, ms) || isKnown
    if (load !== null) {
      const report = loadReportOf(load)
      for (const tier of this.#tiers) isKnown = tier.load(report) || isKnown
    }
    if (isKnown) this.#answers++
  }

  /** null: no answer said anything. */
  drain(): Readonly<Record<string, TierFeedback>> | null {
    if (this.#answers === 0) return null
    const answers = this.#answers
    this.#answers = 0
    return Object.fromEntries(this.#tiers.map((tier) => [tier.name, tier.drain(answers)]))
  }
}

/** A longer time cannot be measured (histogram.ts). */
const LONGEST_MS = 131_000

class TierCounts {
  readonly name: string
  readonly #metric: string
  readonly #workers: number
  readonly #times = new Uint32Array(HISTOGRAM_BUCKETS)
  #visits = 0
  #us = 0
  #loads = 0
  #loadUs = 0

  constructor({ name, metric, workers }: CapacityTier) {
    this.name = name
    this.#metric = metric.toLowerCase()
    this.#workers = workers
  }

  /** False: the metric is another tier's. */
  visit(metric: string, ms: number): boolean {
    if (metric !== this.#metric || ms > LONGEST_MS) return false
    this.#visits++
    this.#us += Math.round(ms * 1000)
    this.#times[bucketOf(ms)]! += 1
    return true
  }

  /** The utilisation law: a server that is busy U of the time with X requests/s works U / X on each. */
  load({ utilisations, requestsPerSecond }: ReturnType<typeof loadReportOf>): boolean {
    const busy = utilisations.get(this.#metric)
    if (busy === undefined || !(requestsPerSecond > 0)) return false
    const ms = (1000 * this.#workers * busy) / requestsPerSecond
    if (!(ms < LONGEST_MS)) return false
    this.#loads++
    this.#loadUs += Math.round(ms * 1000)
    return true
  }

  drain(answers: number): TierFeedback {
    const drained = {
      answers,
      visits: this.#visits,
      us: this.#us,
      times: toHistogram(this.#times),
      loads: this.#loads,
      loadUs: this.#loadUs,
    }
    this.#visits = this.#us = this.#loads = this.#loadUs = 0
    this.#times.fill(0)
    return drained
  }
}
