import type { ClientGate, Clients, ClientsFactory, Sending } from '../clients/clients.ts'
import { ABANDONED, FAILED, type Outcome } from '../engine/requests.ts'
import { type Measured, Measures } from '../gate/measures.ts'
import { ONE_CLASS, type Plant } from '../gate/plant.ts'
import type { World } from '../origins/origin.ts'

interface Watched {
  readonly plant: Plant
  /** What was promised to the admitted sessions, and whether it was kept. */
  result(
    nowMs: number,
  ): Pick<Measured, 'windows' | 'windowsMissed' | 'lateShare' | 'recoverySeconds'>
}

/**
 * Watches what admitted sessions get. Their SLA covers each of their requests: a request refused
 * inside a session is over the target, like any 5xx. On request routes nothing is promised in
 * advance, so nothing changes.
 */
export function watched(plant: Plant, fromMs: number, toMs: number): Watched {
  const values = (plant.classes ?? ONE_CLASS).map(({ value }) => value)
  const measures = new Measures(plant.sla, values, fromMs, toMs)
  const clients: ClientsFactory = (world, gate) => {
    const watch = new GateWatch(world, gate, measures)
    const inner = plant.clients(world, watch)
    return new ClientsWatch(world, inner, measures)
  }
  return {
    plant: { ...plant, clients },
    result(nowMs) {
      const { windows, windowsMissed, lateShare, recoverySeconds } = measures.result(nowMs)
      return { windows, windowsMissed, lateShare, recoverySeconds }
    },
  }
}

class GateWatch implements ClientGate {
  readonly #world: World
  readonly #gate: ClientGate
  readonly #measures: Measures

  constructor(world: World, gate: ClientGate, measures: Measures) {
    this.#world = world
    this.#gate = gate
    this.#measures = measures
  }

  ask: ClientGate['ask'] = (visitor) => this.#gate.ask(visitor)
  sessionOver: ClientGate['sessionOver'] = (end) => this.#gate.sessionOver(end)

  send(request: Sending): number {
    const id = this.#gate.send(request)
    if (id < 0) this.#measures.finished(request.class, 0, FAILED, this.#world.agenda.nowMs)
    return id
  }

  abandon(id: number): void {
    finished(this.#world, this.#measures, id, ABANDONED)
    this.#gate.abandon(id)
  }
}

class ClientsWatch implements Clients {
  readonly #world: World
  readonly #clients: Clients
  readonly #measures: Measures

  constructor(world: World, clients: Clients, measures: Measures) {
    this.#world = world
    this.#clients = clients
    this.#measures = measures
  }

  get activeSessions(): number {
    return this.#clients.activeSessions
  }

  start(): void {
    this.#clients.start()
  }

  answered(id: number, outcome: Outcome): void {
    finished(this.#world, this.#measures, id, outcome)
    this.#clients.answered(id, outcome)
  }
}

function finished({ agenda, requests }: World, measures: Measures, id: number, outcome: Outcome) {
  measures.finished(requests.class[id]!, agenda.nowMs - requests.sentMs[id]!, outcome, agenda.nowMs)
}
