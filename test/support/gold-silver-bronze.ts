import { around, exponential } from '../../lab/engine/distributions.ts'
import { streams } from '../../lab/engine/random.ts'
import { ClassQueues } from '../../src/admission/batch/class-queues.ts'
import { Dither } from '../../src/admission/dither.ts'
import { TokenBucket } from '../../src/admission/token-bucket.ts'
import { allocate } from '../../src/coordinator/allocate.ts'
import { InFlightSizes } from '../../src/measure/in-flight-sizes.ts'
import { SharedServer } from './shared-server.ts'

/** The experiment of Cataclysm §6.2 (Fig. 3): three servers, three classes, three surges. */

export const CLASSES = ['gold', 'silver', 'bronze'] as const
export type Class = (typeof CLASSES)[number]
export const SERVERS = 3
export const SERVER_RATE = 60
export const TARGET_MS = 1000
const DELAYS_MS = [0, 50, 100]
const VALUES = [3, 2, 1]

/** Requests per second of Gold, Silver and Bronze from each second on. */
export const SURGES: readonly (readonly [fromS: number, rates: readonly number[]])[] = [
  [0, [50, 50, 60]],
  [130, [50, 50, 160]],
  [195, [50, 120, 160]],
  [210, [200, 120, 160]],
  [390, [50, 50, 160]],
]
export const END_S = 450

export interface Request {
  readonly rank: number
  readonly atMs: number
  readonly serviceMs: number
}

export interface Policy {
  /** Judges a request, now or at a later `wake`. */
  arrive(request: Request, nowMs: number): void
  /** When it wants to be woken next. */
  readonly dueMs: number
  wake(nowMs: number): void
}

export interface Site {
  admit(request: Request): void
  readonly inServiceEach: number
  readonly longestMs: number
}

export class Replay {
  /** By class and second of arrival. */
  readonly offered = CLASSES.map(() => new Int32Array(END_S))
  readonly admitted = CLASSES.map(() => new Int32Array(END_S))
  /**
   * By second of arrival, of the admitted: from arrival to the last byte, with what they were held.
   */
  readonly responsesMs: number[][] = Array.from({ length: END_S }, () => [])

  /** The part of a class's requests that was admitted in [fromS, toS). */
  part(of: Class, fromS: number, toS: number): number {
    const rank = CLASSES.indexOf(of)
    return this.rate(of, fromS, toS) / mean(this.offered[rank]!, fromS, toS)
  }

  /** Admitted per second. */
  rate(of: Class, fromS: number, toS: number): number {
    return mean(this.admitted[CLASSES.indexOf(of)]!, fromS, toS)
  }

  p95Ms(fromS: number, toS: number): number {
    const sorted = this.responsesMs
      .slice(fromS, toS)
      .flat()
      .sort((a, b) => a - b)
    return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0
  }

  /** The stretches of five seconds whose 95th percentile is over the target. */
  badSpells(): number[] {
    const starts = Array.from({ length: END_S / 5 }, (_, i) => 5 * i)
    return starts.filter((fromS) => this.p95Ms(fromS, fromS + 5) > TARGET_MS)
  }
}

export interface ReplayOptions {
  /** Mean service time: all scripts cost much the same. */
  readonly serviceMs: number
  readonly seed: number
}

export function replay(policyFor: (site: Site) => Policy, options: ReplayOptions): Replay {
  const result = new Replay()
  const servers = Array.from({ length: SERVERS }, () => new SharedServer<Request>())
  const inFlight = new InFlightSizes()
  const policy = policyFor({
    admit(request) {
      result.admitted[request.rank]![Math.floor(request.atMs / 1000)]! += 1
      const server = servers.reduce((least, next) => (next.size < least.size ? next : least))
      server.enter(request, request.serviceMs)
      inFlight.enter(request.serviceMs)
    },
    get inServiceEach() {
      return inFlight.size / SERVERS
    },
    get longestMs() {
      return inFlight.longestMs
    },
  })
  const run = (untilMs: number) => {
    for (const server of servers)
      server.run(untilMs, ({ atMs, serviceMs }, doneMs) => {
        inFlight.leave(serviceMs)
        result.responsesMs[Math.floor(atMs / 1000)]!.push(doneMs - atMs)
      })
  }
  const wakeUntil = (untilMs: number) => {
    while (policy.dueMs <= untilMs) {
      const dueMs = policy.dueMs
      run(dueMs)
      policy.wake(dueMs)
    }
  }
  for (const request of requests(options)) {
    wakeUntil(request.atMs)
    run(request.atMs)
    result.offered[request.rank]![Math.floor(request.atMs / 1000)]! += 1
    policy.arrive(request, request.atMs)
  }
  wakeUntil(END_S * 1000)
  run(Number.MAX_SAFE_INTEGER)
  return result
}

export interface ThresholdOptions {
  readonly periodS: number
  /**
   * Hold the limit in a token bucket of this depth too, as the gate does; null: the paper's draws
   * alone.
   */
  readonly burst: number | null
}

/** Eq. 5 and 6 each period, from the arrivals of the period before. */
export function thresholdPolicy({ periodS, burst }: ThresholdOptions): (site: Site) => Policy {
  return (site) => {
    const limit = SERVERS * SERVER_RATE
    const dithers = CLASSES.map((_, rank) => new Dither(rank / CLASSES.length))
    const bucket = new TokenBucket(0, burst ?? 0)
    bucket.set(limit, burst ?? 0, 0)
    let counts = CLASSES.map(() => 0)
    let probabilities = CLASSES.map(() => 1)
    let dueMs = periodS * 1000
    return {
      arrive(request, nowMs) {
        const { rank } = request
        counts[rank]! += 1
        const probability = probabilities[rank]!
        const isAdmitted =
          burst === null
            ? dithers[rank]!.draw(probability)
            : probability > 0 && bucket.take(1, (rank * burst) / 4, nowMs)
        if (isAdmitted) site.admit(request)
      },
      get dueMs() {
        return dueMs
      },
      wake() {
        const { classes } = allocate({
          limit,
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
        dueMs += periodS * 1000
      },
    }
  }
}

/** Eq. 4 with the paper's delays of 0, 50 and 100 ms. */
export function batchPolicy(site: Site): Policy {
  const queues = new ClassQueues<Request>(CLASSES.length)
  let dueMs = Number.POSITIVE_INFINITY
  const judge = (nowMs: number) => {
    const load = {
      queueingMs: 0,
      inFlight: site.inServiceEach,
      servers: SERVERS,
      targetMs: TARGET_MS,
      longestMs: site.longestMs,
      rounding: 0,
    }
    queues.judge(load, nowMs, (request, isAdmitted) => {
      if (isAdmitted) site.admit(request)
    })
  }
  return {
    arrive(request, nowMs) {
      const delayMs = DELAYS_MS[request.rank]!
      const at = queues.add(request, request.rank, request.serviceMs, delayMs, nowMs)
      if (at <= nowMs) judge(nowMs)
      else dueMs = Math.min(dueMs, at)
    },
    get dueMs() {
      return dueMs
    },
    wake(nowMs) {
      judge(nowMs)
      // Silver is due each 50 ms, and Bronze with every second time of it.
      dueMs = queues.size > 0 ? nowMs + DELAYS_MS[1]! : Number.POSITIVE_INFINITY
    },
  }
}

export function* requests({ seed, serviceMs }: ReplayOptions): Generator<Request> {
  const random = streams(seed)
  const service = around({ mean: serviceMs, spread: 0.03 })
  const streamsOf = CLASSES.map((name) => ({
    clock: random(`${name} arrivals`),
    size: random(`${name} sizes`),
  }))
  const next = CLASSES.map(() => 0)
  const draw = (rank: number, atMs: number) => {
    const rate = SURGES.findLast(([fromS]) => fromS * 1000 <= atMs)![1][rank]!
    return atMs + exponential({ mean: 1000 / rate }).draw(streamsOf[rank]!.clock)
  }
  CLASSES.forEach((_, rank) => {
    next[rank] = draw(rank, 0)
  })
  for (;;) {
    const rank = next.indexOf(Math.min(...next))
    const atMs = next[rank]!
    if (atMs >= END_S * 1000) return
    yield { rank, atMs, serviceMs: service.draw(streamsOf[rank]!.size) }
    next[rank] = draw(rank, atMs)
  }
}

function mean(counts: Int32Array, fromS: number, toS: number): number {
  return counts.slice(fromS, toS).reduce((sum, n) => sum + n, 0) / (toS - fromS)
}
