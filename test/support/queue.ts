import type { Sample } from '../../src/learners/learner.ts'
import { bucketOf, HISTOGRAM_BUCKETS, toHistogram } from '../../src/lib/histogram.ts'

/** Equal seeds give equal numbers in [0, 1): mulberry32. */
export function coins(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** What the origin is held to. */
export interface Target {
  readonly targetMs: number
  readonly percentile?: number
}

/**
 * M/M/c, first come first served, requests without sessions: each takes the server that is free first
 * (Kiefer and Wolfowitz). Admission is a coin, so that what is admitted is Poisson too.
 */
export class Queue {
  readonly #arrivals: () => number
  readonly #demands: () => number
  readonly #draws: () => number
  #freeAtMs: number[]
  #pending: { readonly fromMs: number; readonly toMs: number }[] = []
  #nowMs = 0
  /** When the next request comes; null before the first tick. */
  #nextMs: number | null = null
  meanMs: number

  constructor({ servers, meanMs, seed }: { servers: number; meanMs: number; seed: number }) {
    this.#arrivals = coins(seed)
    this.#demands = coins(seed + 1_000_003)
    this.#draws = coins(seed + 2_000_003)
    this.#freeAtMs = new Array<number>(servers).fill(0)
    this.meanMs = meanMs
  }

  /** Servers come and go at once; what a lost one had taken on is still finished. */
  set servers(count: number) {
    const sorted = this.#freeAtMs.toSorted((a, b) => a - b)
    while (sorted.length < count) sorted.push(this.#nowMs)
    this.#freeAtMs = sorted.slice(0, count)
  }

  /** One tick: Poisson arrivals at `offered` per second, of which the limit lets its part in. */
  tick(offered: number, limit: number | null, target: Target, lengthMs = 1000): Sample {
    const endMs = this.#nowMs + lengthMs
    const probability = limit === null ? 1 : Math.min(1, limit / offered)
    let asked = 0
    let admitted = 0
    let nextMs = this.#nextMs ?? this.#nowMs + this.#gapMs(offered)
    for (; nextMs < endMs; nextMs += this.#gapMs(offered)) {
      asked += 1
      if (this.#draws() >= probability) continue
      admitted += 1
      this.#serve(nextMs)
    }
    this.#nextMs = nextMs
    this.#nowMs = endMs
    return this.#report({ asked, admitted, lengthMs, ...target })
  }

  #gapMs(offered: number): number {
    return (-Math.log(1 - this.#arrivals()) * 1000) / offered
  }

  #serve(fromMs: number): void {
    let first = 0
    for (let i = 1; i < this.#freeAtMs.length; i++) {
      if (this.#freeAtMs[i]! < this.#freeAtMs[first]!) first = i
    }
    const demandMs = -Math.log(1 - this.#demands()) * this.meanMs
    const toMs = Math.max(fromMs, this.#freeAtMs[first]!) + demandMs
    this.#freeAtMs[first] = toMs
    this.#pending.push({ fromMs, toMs })
  }

  #report({
    asked,
    admitted,
    lengthMs,
    targetMs,
    percentile = 95,
  }: { asked: number; admitted: number; lengthMs: number } & Target): Sample {
    const counts = new Array<number>(HISTOGRAM_BUCKETS).fill(0)
    const left: { readonly fromMs: number; readonly toMs: number }[] = []
    let completed = 0
    let late = 0
    let latencyUs = 0
    for (const request of this.#pending) {
      if (request.toMs > this.#nowMs) {
        left.push(request)
        continue
      }
      const ms = request.toMs - request.fromMs
      counts[bucketOf(ms)]! += 1
      completed += 1
      if (ms > targetMs) late += 1
      latencyUs += Math.round(ms * 1000)
    }
    this.#pending = left
    const perSecond = (count: number) => (count * 1000) / lengthMs
    return {
      lengthMs,
      granularity: 'request',
      offered: { sessions: 0, requests: perSecond(asked) },
      admitted: { sessions: 0, requests: perSecond(admitted) },
      goodput: perSecond(completed),
      failures: 0,
      inFlight: left.length,
      tiers: [
        {
          name: 'all',
          percentile,
          targetMs,
          windowMs: 60_000,
          completed,
          late,
          latencyUs,
          latency: toHistogram(counts),
        },
      ],
      classes: [],
      ages: [],
      capacity: [],
    }
  }
}
