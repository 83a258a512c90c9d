import { DEFAULTS } from '../../src/config/defaults.ts'
import type { CapacityEvent, Sample } from '../../src/learners/learner-interface.ts'
import type { ClientGate, Clients, Sending, SessionEnd } from '../clients/clients.ts'
import type { Visitor } from '../clients/entrance.ts'
import type { Actor } from '../engine/agenda.ts'
import type { Random } from '../engine/random.ts'
import { ABANDONED, FAILED, type Outcome } from '../engine/requests.ts'
import type { Origin, OriginListener, World } from '../origins/origin.ts'
import type { Measures } from './measures.ts'
import type { Policy } from './policy.ts'
import type { TickCounters } from './tick-counters.ts'

const TIMEOUT = 0

/**
 * Between clients and origin: asks the policy, and counts for the coordinator and for the result of
 * the run.
 */
export class SimulatedGate implements ClientGate, OriginListener, Actor {
  readonly #world: World
  readonly #counters: TickCounters
  readonly #measures: Measures
  readonly #timeoutMs: number
  readonly #waits: Random
  readonly #actor: number
  #inFlight = 0
  // The parts and the gate refer to each other: `connect` links them before time starts.
  #policy!: Policy
  #clairvoyant: Policy | null = null
  #origin!: Origin
  #clients!: Clients

  constructor(world: World, counters: TickCounters, measures: Measures, timeoutMs: number) {
    this.#world = world
    this.#counters = counters
    this.#measures = measures
    this.#timeoutMs = timeoutMs
    this.#waits = world.random('retry-after')
    this.#actor = world.agenda.register(this)
  }

  /** The clairvoyant is only asked about visitors that the policy refuses. */
  connect(policy: Policy, clairvoyant: Policy | null, origin: Origin, clients: Clients): void {
    this.#policy = policy
    this.#clairvoyant = clairvoyant
    this.#origin = origin
    this.#clients = clients
  }

  /** Sent to the origin, neither answered nor abandoned. */
  get inFlight(): number {
    return this.#inFlight
  }

  ask(visitor: Visitor): number | Promise<number> {
    const { nowMs } = this.#world.agenda
    // A visitor that comes back too early is refused without a draw and not counted as offered.
    if (nowMs < visitor.notBeforeMs) {
      this.#measures.cameEarly(nowMs)
      this.#policy.cameEarly?.(visitor.class, nowMs, visitor.index)
      return visitor.notBeforeMs
    }
    const admitted = this.#policy.admits(visitor.class, nowMs, visitor.index)
    return admitted instanceof Promise
      ? admitted.then((late) => this.#answer(visitor, late))
      : this.#answer(visitor, admitted)
  }

  /** The time of the visitor's next draw; 0: it is admitted. */
  #answer(visitor: Visitor, admitted: boolean): number {
    const { nowMs } = this.#world.agenda
    this.#counters.asked(visitor.class, admitted)
    const hadRoom = !admitted && this.#clairvoyant?.hasRoom?.() === true
    this.#measures.asked(admitted, hadRoom, nowMs)
    if (admitted) return 0
    const toldMs = this.#policy.comesBackMs?.(visitor.index) ?? null
    if (toldMs !== null) return toldMs
    const { retryMinS, retryMaxS } = DEFAULTS.refusal
    const waitS = retryMinS + Math.floor(this.#waits.next() * (retryMaxS - retryMinS + 1))
    return nowMs + 1000 * waitS
  }

  send(sending: Sending): number {
    const { ageMs } = sending
    const { agenda, requests } = this.#world
    const { nowMs } = agenda
    if (ageMs >= 0 && this.#policy.admitsKnown?.(sending.class, nowMs) === false) {
      this.#counters.refusedKnown()
      return -1
    }
    this.#counters.sent(ageMs)
    this.#inFlight++
    const id = requests.open(nowMs, sending)
    this.#policy.sent?.(id, sending, nowMs)
    this.#origin.submit(id)
    if (this.#timeoutMs < Number.POSITIVE_INFINITY) {
      requests.timeoutMs[id] = nowMs + this.#timeoutMs
      agenda.schedule(nowMs + this.#timeoutMs, this.#actor, TIMEOUT, id)
    }
    return id
  }

  /** Time-out: the request has failed, although the origin may still work on it. */
  handle(_kind: number, id: number): void {
    const { agenda, requests } = this.#world
    if (requests.timeoutMs[id] !== agenda.nowMs) return
    requests.deadlineMs[id] = Number.NaN
    this.#settle(id, FAILED)
    this.#origin.abandon(id)
  }

  abandon(id: number): void {
    const { agenda, requests } = this.#world
    const latencyMs = agenda.nowMs - requests.sentMs[id]!
    requests.timeoutMs[id] = Number.NaN
    this.#inFlight--
    this.#counters.abandoned()
    this.#measures.finished(requests.class[id]!, latencyMs, ABANDONED, agenda.nowMs)
    this.#policy.finished?.(latencyMs, ABANDONED, agenda.nowMs, id)
    this.#origin.abandon(id)
  }

  finished(id: number, outcome: Outcome): void {
    const { requests } = this.#world
    if (requests.abandoned[id] === 0) this.#settle(id, outcome)
    requests.close(id)
  }

  #settle(id: number, outcome: Outcome): void {
    const { agenda, requests } = this.#world
    const klass = requests.class[id]!
    const latencyMs = agenda.nowMs - requests.sentMs[id]!
    this.#inFlight--
    this.#counters.finished(requests.tier[id]!, klass, latencyMs, outcome)
    this.#measures.finished(klass, latencyMs, outcome, agenda.nowMs)
    this.#policy.finished?.(latencyMs, outcome, agenda.nowMs, id)
    this.#clients.answered(id, outcome)
  }

  sessionOver(end: SessionEnd): void {
    this.#measures.sessionOver(end, this.#world.agenda.nowMs)
  }

  tick(lengthMs: number, capacity: readonly CapacityEvent[]): Sample {
    for (const event of capacity) this.#policy.announce?.(event)
    const sample = this.#counters.take(lengthMs, this.#inFlight, capacity)
    this.#policy.tick?.(sample, this.#world.agenda.nowMs)
    return sample
  }
}
