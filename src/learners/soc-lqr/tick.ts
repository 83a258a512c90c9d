import { histogramTotal } from '../../lib/histogram.ts'
import type { Sample } from '../learner-interface.ts'

/** A sample as counts. */
export interface Tick {
  readonly seconds: number
  readonly onSessions: boolean
  readonly sessions: number
  readonly requests: number
  /** Asked for and let in, in requests per second. */
  readonly offered: number
  readonly load: number
  readonly completed: number
  readonly served: number
  /** Response times of the served, added up. */
  readonly latencyS: number
  readonly inService: number
  readonly ages: readonly number[]
  /** Sessions per second that asked. */
  readonly offeredSessions: number
  /** Measured dead time of the loop; absent: not known. */
  readonly deadS?: number
  /** Sessions that the origin has ended, by their age. */
  readonly ended?: readonly number[]
  /** Classes of different value compete. */
  readonly contested: boolean
  /** Nothing was sent, nothing came back, nothing is there: nobody came, or the report is lost. */
  readonly silent: boolean
}

export function tickOf(sample: Sample): Tick {
  const seconds = sample.lengthMs / 1000
  const sum = (pick: (tier: Sample['tiers'][number]) => number): number =>
    sample.tiers.reduce((total, tier) => total + pick(tier), 0)
  const completed = sum((tier) => tier.completed)
  const { sessions, requests } = sample.admitted
  return {
    seconds,
    onSessions: sample.granularity === 'session',
    sessions: sessions * seconds,
    requests: requests * seconds,
    offered: sample.offered.requests,
    load: requests,
    completed,
    served: sum((tier) => histogramTotal(tier.latency)),
    latencyS: sum((tier) => tier.latencyUs / 1e6),
    inService: sample.inFlight,
    ages: sample.ages,
    offeredSessions: sample.offered.sessions,
    ...(sample.deadTimeMs === undefined ? {} : { deadS: sample.deadTimeMs / 1000 }),
    ...(sample.ended ? { ended: sample.ended } : {}),
    contested: new Set(sample.classes.map(({ value }) => value)).size > 1,
    silent: completed === 0 && requests === 0 && sample.inFlight === 0 && sessions === 0,
  }
}
