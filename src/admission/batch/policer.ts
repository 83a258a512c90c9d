import type { InFlightSizes } from '../../measure/in-flight-sizes.ts'
import type { Plan } from '../../protocol/plan.ts'
import type { Verdict } from '../../protocol/verdict.ts'
import type { ClassState } from '../class-state.ts'
import { ClassQueues, type Settle } from './class-queues.ts'

/** When so many wait in one isolate, it has enough to do. */
const MOST_WAITING = 1000

/** A request that waits for the verdict on its batch. */
export class WaitingRequest {
  readonly rule: ClassState
  readonly rank: number
  readonly serviceMs: number
  readonly client: number | null
  dueMs = 0
  /** null: not judged yet. */
  verdict: Verdict | null = null

  constructor(rule: ClassState, rank: number, serviceMs: number, client: number | null) {
    this.rule = rule
    this.rank = rank
    this.serviceMs = serviceMs
    this.client = client
  }
}

/** Batch policing in this isolate: its queues, and its share of the servers (Cataclysm §3.2, eq. 4). */
export class BatchPolicer {
  readonly #queues: ClassQueues<WaitingRequest>
  readonly #lowest: number
  readonly #inFlight: InFlightSizes
  readonly #coin: () => number
  /** This isolate's part of n; 0: nothing to test against. */
  #servers = 0
  #queueingMs = 0
  #targetMs = 0

  constructor(classes: number, inFlight: InFlightSizes, coin: () => number) {
    this.#queues = new ClassQueues(classes)
    this.#lowest = classes - 1
    this.#inFlight = inFlight
    this.#coin = coin
  }

  /** Is enough known for a test, and time for it? */
  get isReady(): boolean {
    return this.#servers > 0 && this.#queues.size < MOST_WAITING
  }

  follow({ load, routes }: Plan, share: number): void {
    this.#servers = (load?.servers ?? 0) * share
    this.#queueingMs = load?.queueingMs ?? 0
    // Requests share the servers: the strictest of the routes' targets is at stake.
    this.#targetMs = Math.min(...Object.values(routes).map(({ targetMs }) => targetMs))
  }

  add(
    rule: ClassState,
    serviceMs: number,
    client: number | null,
    delayMs: number,
    nowMs: number,
  ): WaitingRequest {
    // A newer configuration than this isolate's may have more classes.
    const rank = Math.min(rule.rank, this.#lowest)
    const held = new WaitingRequest(rule, rank, serviceMs, client)
    held.dueMs = this.#queues.add(held, rank, serviceMs, delayMs, nowMs)
    return held
  }

  /** One that has gone leaves its queue. */
  remove(held: WaitingRequest): void {
    this.#queues.remove(held, held.rank, held.serviceMs)
  }

  /** Settles all that are due. */
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
