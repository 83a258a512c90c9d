import { ClassQueues } from '../../src/admission/batch/class-queues.ts'
import { Dither } from '../../src/admission/dither.ts'
import { TokenBucket } from '../../src/admission/token-bucket.ts'
import { allocate } from '../../src/coordinator/allocate-classes.ts'
import {
  CLASSES,
  type Policer,
  SERVER_RATE,
  SERVERS,
  type Site,
  type SiteRequest,
  TARGET_MS,
} from './cataclysm-site.ts'

/** §6.2. Gold is never delayed. */
const DELAYS_MS = [0, 50, 100]
const VALUES = [3, 2, 1]
const LIMIT = SERVERS * SERVER_RATE

/** Batch policing (§3.2, eq. 4) with the product's class queues. */
export function batchPolicer(site: Site): Policer {
  const queues = new ClassQueues<SiteRequest>(CLASSES.length)
  let wakesAtMs = Number.POSITIVE_INFINITY
  let tests = 0
  const judge = (nowMs: number) => {
    const load = {
      queueingMs: 0,
      inFlight: site.inFlightEach,
      servers: SERVERS,
      targetMs: TARGET_MS,
      longestMs: site.longestMs,
      rounding: 0,
    }
    const judged = new Set<number>()
    queues.judge(load, nowMs, (request, isAdmitted) => {
      judged.add(request.rank)
      if (isAdmitted) site.admit(request)
    })
    tests += judged.size
  }
  const wakeAt = (atMs: number) => {
    if (atMs >= wakesAtMs) return
    wakesAtMs = atMs
    site.wakeAt(atMs)
  }
  return {
    get tests() {
      return tests
    },
    arrive(request, nowMs) {
      const { rank, serviceMs } = request
      const dueMs = queues.add(request, rank, serviceMs, DELAYS_MS[rank]!, nowMs)
      if (dueMs <= nowMs) judge(nowMs)
      else wakeAt(dueMs)
    },
    wake(nowMs) {
      wakesAtMs = Number.POSITIVE_INFINITY
      judge(nowMs)
      if (queues.size > 0) wakeAt(nowMs + DELAYS_MS[1]!)
    },
  }
}

interface ThresholdOptions {
  readonly periodS: number
  /** Depth of a token bucket that also enforces the limit, as the product's edge does; null: draws only. */
  readonly burst: number | null
}

/** Threshold policing (§3.3, eq. 5 and 6), computed from the arrivals of the previous period. */
export function thresholdPolicer({ periodS, burst }: ThresholdOptions): (site: Site) => Policer {
  return (site) => {
    const dithers = CLASSES.map((_, rank) => new Dither(rank / CLASSES.length))
    const bucket = new TokenBucket(0, burst ?? 0)
    bucket.set(LIMIT, burst ?? 0, 0)
    let counts = CLASSES.map(() => 0)
    let probabilities = CLASSES.map(() => 1)
    site.wakeAt(periodS * 1000)
    return {
      tests: 0,
      arrive(request, nowMs) {
        const { rank } = request
        counts[rank]!++
        const probability = probabilities[rank]!
        const isAdmitted =
          burst === null
            ? dithers[rank]!.draw(probability)
            : probability > 0 && bucket.take(1, (rank * burst) / 4, nowMs)
        if (isAdmitted) site.admit(request)
      },
      wake(nowMs) {
        const { classes } = allocate({
          limit: LIMIT,
          order: 'value',
          classes: CLASSES.map((key, rank) => ({
            key,
            value: VALUES[rank]!,
            guaranteed: 0,
            arrivals: counts[rank]! / periodS,
            cost: 1,
          })),
        })
        probabilities = CLASSES.map((key) => classes[key]!.probability)
        counts = CLASSES.map(() => 0)
        site.wakeAt(nowMs + periodS * 1000)
      },
    }
  }
}
