import type { InFlightSizes } from '../../measure/in-flight-sizes.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { Verdict } from '../../protocol/verdict.ts'
import type { ClassState } from '../class-state.ts'
import { ClassQueues, type Settle } from './class-queues.ts'

/** With this many waiting requests, an isolate adds no more to batches. */
const MOST_WAITING = 1000

/**
 * A request of a class that the plan admits in full is not refused for a short burst: it waits in a queue, as at the
 * proxy of Mathur et al. 2009, Fig. 1. It is tested again after this time, so a place that becomes free is used soon.
 */
const RETEST_MS = 20
/** It waits for this part of the target at most, and for one second: a response must stay in time after the wait. */
const BURST_WAIT_PART = 0.1
const BURST_WAIT_MS = 1000
/** A shortage of at most this length is a burst, if nothing failed before it for `CALM_MS`. A longer one is overload. */
const BURST_MS = 1000
const CALM_MS = 10_000

/** A request that waits for the verdict on its batch. */
export class WaitingRequest {
  readonly state: ClassState
  readonly rank: number
  readonly serviceMs: number
  readonly client: number | null
  readonly addedMs: number
  dueMs = 0
  /** null: not decided yet. */
  verdict: Verdict | null = null

  constructor(
    state: ClassState,
    rank: number,
    serviceMs: number,
    client: number | null,
    addedMs: number,
  ) {
    this.state = state
    this.rank = rank
    this.serviceMs = serviceMs
    this.client = client
    this.addedMs = addedMs
  }
}

/** Batch policing in this isolate: queues, and its share of the servers (Urgaonkar and Shenoy 2005, §3.2, eq. 4). */
export class BatchPolicer {
  readonly #queues: ClassQueues<WaitingRequest>
  readonly #lowest: number
  readonly #inFlight: InFlightSizes
  readonly #coin: () => number
  /** n: this isolate's share of the number of servers; 0: unknown. */
  #servers = 0
  #queueingMs = 0
  #targetMs = 0
  /** By rank: when the present shortage began, and when a request failed last. */
  readonly #shortages: { sinceMs: number; lastMs: number }[]

  constructor(classes: number, inFlight: InFlightSizes, coin: () => number) {
    this.#queues = new ClassQueues(classes)
    this.#lowest = classes - 1
    this.#shortages = Array.from({ length: classes }, () => ({
      sinceMs: 0,
      lastMs: Number.NEGATIVE_INFINITY,
    }))
    this.#inFlight = inFlight
    this.#coin = coin
  }

  /** Is the number of servers known, and may more requests wait? */
  get isReady(): boolean {
    return this.#servers > 0 && this.#queues.size < MOST_WAITING
  }

  follow({ load, routes }: Plan, share: number): void {
    this.#servers = (load?.servers ?? 0) * share
    this.#queueingMs = load?.queueingMs ?? 0
    // Requests of all routes share the servers, so the shortest target counts.
    this.#targetMs = Math.min(...Object.values(routes).map(({ targetMs }) => targetMs))
  }

  add(
    state: ClassState,
    serviceMs: number,
    client: number | null,
    delayMs: number,
    nowMs: number,
  ): WaitingRequest {
    // A newer configuration than this isolate's may have more classes.
    const rank = Math.min(state.rank, this.#lowest)
    const waiting = new WaitingRequest(state, rank, serviceMs, client, nowMs)
    waiting.dueMs = this.#queues.add(waiting, rank, serviceMs, delayMs, nowMs)
    return waiting
  }

  /** Lets a request that failed its test wait for the next one, if the shortage is a burst. false: it has to be refused. */
  addAgain(waiting: WaitingRequest, nowMs: number): boolean {
    const { state, rank, serviceMs, addedMs } = waiting
    const waitedMs = nowMs - addedMs
    const mostMs = Math.min(BURST_WAIT_PART * this.#targetMs, BURST_WAIT_MS)
    const isBurst = this.#isBurst(rank, nowMs)
    if (!isBurst || state.probability < 1 || waitedMs + RETEST_MS > mostMs || !this.isReady)
      return false
    waiting.dueMs = this.#queues.add(waiting, rank, serviceMs, RETEST_MS, nowMs, waitedMs)
    return true
  }

  #isBurst(rank: number, nowMs: number): boolean {
    const shortage = this.#shortages[rank]!
    if (nowMs - shortage.lastMs > CALM_MS) shortage.sinceMs = nowMs
    shortage.lastMs = nowMs
    return nowMs - shortage.sinceMs <= BURST_MS
  }

  /** The client of a waiting request has left. */
  remove(waiting: WaitingRequest): void {
    this.#queues.remove(waiting, waiting.rank, waiting.serviceMs)
  }

  /** Settles every request that is due. */
  judge(nowMs: number, settle: Settle<WaitingRequest>): void {
    const load = {
      queueingMs: this.#queueingMs,
      inFlight: this.#inFlight.size / this.#servers,
      servers: this.#servers,
      targetMs: this.#targetMs,
      longestMs: this.#inFlight.longestMs,
      rounding: this.#coin(),
    }
    this.#queues.judge(load, nowMs, settle)
  }
}
