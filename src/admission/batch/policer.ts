import type { InFlightSizes } from '../../measure/in-flight-sizes.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { Verdict } from '../../protocol/verdict.ts'
import type { ClassState } from '../class-state.ts'
import { ClassQueues, type Settle } from './class-queues.ts'

/** With this many waiting requests, an isolate adds no more to batches. */
const MOST_WAITING = 1000

/** A request that waits for the verdict on its batch. */
export class WaitingRequest {
  readonly state: ClassState
  readonly rank: number
  readonly serviceMs: number
  readonly client: number | null
  dueMs = 0
  /** null: not decided yet. */
  verdict: Verdict | null = null

  constructor(state: ClassState, rank: number, serviceMs: number, client: number | null) {
    this.state = state
    this.rank = rank
    this.serviceMs = serviceMs
    this.client = client
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

  constructor(classes: number, inFlight: InFlightSizes, coin: () => number) {
    this.#queues = new ClassQueues(classes)
    this.#lowest = classes - 1
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
    const waiting = new WaitingRequest(state, rank, serviceMs, client)
    waiting.dueMs = this.#queues.add(waiting, rank, serviceMs, delayMs, nowMs)
    return waiting
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
