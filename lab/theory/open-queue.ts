import type { ClientGate, ClientsFactory, Sending } from '../clients/clients.ts'
import { Agenda } from '../engine/agenda.ts'
import { streams } from '../engine/random.ts'
import { type Outcome, Requests, SERVED } from '../engine/requests.ts'
import type { OriginFactory, OriginListener, World } from '../origins/origin.ts'

/** An origin that admits all requests: the case for which queueing theory has formulas. */
export interface OpenQueue {
  readonly origin: OriginFactory
  readonly clients: ClientsFactory
}

interface Observation {
  readonly seed: number
  readonly warmUpMs: number
  readonly lengthMs: number
}

/**
 * Observations after the warm-up. Means are over requests, except `meanNumber`, which is over time.
 */
export interface Observed {
  readonly completed: number
  readonly failed: number
  readonly arrived: number
  readonly meanResponseMs: number
  readonly meanNumber: number
  /** By class. */
  readonly meanResponsesMs: readonly number[]
  /** Share of the completed requests that took longer than a time, or waited longer. */
  slowerThan(ms: number): number
  waitedLongerThan(ms: number): number
}

export function observe(queue: OpenQueue, { seed, warmUpMs, lengthMs }: Observation): Observed {
  const world: World = { agenda: new Agenda(), requests: new Requests(), random: streams(seed) }
  const observer = new Observer(world, warmUpMs)
  const origin = queue.origin(world, observer)
  const clients = queue.clients(world, observer)
  observer.connect(origin, clients)
  clients.start()
  world.agenda.runUntil(warmUpMs + lengthMs)
  return observer.result()
}

class Observer implements ClientGate, OriginListener {
  readonly #world: World
  readonly #fromMs: number
  readonly #responsesMs: number[] = []
  readonly #waitsMs: number[] = []
  readonly #classes: number[] = []
  #origin!: ReturnType<OriginFactory>
  #clients!: ReturnType<ClientsFactory>
  #arrived = 0
  #failed = 0
  #number = 0
  #area = 0
  #changedMs = 0

  constructor(world: World, fromMs: number) {
    this.#world = world
    this.#fromMs = fromMs
  }

  connect(origin: ReturnType<OriginFactory>, clients: ReturnType<ClientsFactory>): void {
    this.#origin = origin
    this.#clients = clients
  }

  ask(): number {
    return 0
  }

  send(sending: Sending): number {
    const { agenda, requests } = this.#world
    if (agenda.nowMs >= this.#fromMs) this.#arrived++
    this.#change(1)
    const id = requests.open(agenda.nowMs, sending)
    this.#origin.submit(id)
    return id
  }

  finished(id: number, outcome: Outcome): void {
    const { requests } = this.#world
    if (requests.abandoned[id] === 0) this.#settle(id, outcome)
    requests.close(id)
  }

  #settle(id: number, outcome: Outcome): void {
    const { agenda, requests } = this.#world
    this.#change(-1)
    if (agenda.nowMs >= this.#fromMs) {
      if (outcome === SERVED) {
        const responseMs = agenda.nowMs - requests.sentMs[id]!
        this.#responsesMs.push(responseMs)
        this.#waitsMs.push(responseMs - requests.demandMs[id]!)
        this.#classes.push(requests.class[id]!)
      } else this.#failed++
    }
    this.#clients.answered(id, outcome)
  }

  abandon(id: number): void {
    this.#change(-1)
    this.#origin.abandon(id)
  }

  sessionOver(): void {}

  result(): Observed {
    this.#change(0)
    const { nowMs } = this.#world.agenda
    const times = this.#responsesMs
    const sums: number[] = []
    const counts: number[] = []
    for (const [i, klass] of this.#classes.entries()) {
      sums[klass] = (sums[klass] ?? 0) + times[i]!
      counts[klass] = (counts[klass] ?? 0) + 1
    }
    return {
      completed: times.length,
      failed: this.#failed,
      arrived: this.#arrived,
      meanResponseMs: times.reduce((sum, ms) => sum + ms, 0) / times.length,
      meanNumber: this.#area / (nowMs - this.#fromMs),
      meanResponsesMs: sums.map((sum, klass) => sum / counts[klass]!),
      slowerThan: (ms) => partAbove(times, ms),
      waitedLongerThan: (ms) => partAbove(this.#waitsMs, ms),
    }
  }

  /**
   * The number in the system is integrated over time independently: Little's law must be a result,
   * not an assumption.
   */
  #change(by: number): void {
    const { nowMs } = this.#world.agenda
    this.#area += this.#number * Math.max(0, nowMs - Math.max(this.#changedMs, this.#fromMs))
    this.#changedMs = nowMs
    this.#number += by
  }
}

function partAbove(values: readonly number[], bound: number): number {
  return values.filter((value) => value > bound).length / values.length
}
