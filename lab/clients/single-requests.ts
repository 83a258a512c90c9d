import type { Actor } from '../engine/agenda.ts'
import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import type { World } from '../origins/origin.ts'
import { type Arrivals, poisson } from './arrivals.ts'
import type { Clients, ClientsFactory, Door } from './clients.ts'
import { pick } from './mix.ts'
import type { RateProfile } from './rates.ts'

export interface SingleRequestsOptions {
  readonly rate: RateProfile
  /** By class; one distribution: there is one class. */
  readonly demand: Distribution | readonly Distribution[]
  /** Part of the requests in each class. */
  readonly mix?: readonly number[]
  /** How long a client waits for an answer; absent: for ever. */
  readonly patienceMs?: number
}

const ARRIVAL = 0
const IMPATIENCE = 1

/** Clients of a route without sessions: every request stands for itself. */
class SingleRequests implements Clients, Actor {
  readonly activeSessions = 0
  readonly #world: World
  readonly #door: Door
  readonly #arrivals: Arrivals
  readonly #demand: readonly Distribution[]
  readonly #mix: readonly number[]
  readonly #classes: Random
  readonly #demands: Random
  readonly #patienceMs: number
  readonly #actor: number
  #arrived = 0

  constructor(world: World, door: Door, options: SingleRequestsOptions) {
    this.#world = world
    this.#door = door
    this.#arrivals = poisson(options.rate, world.random('arrivals'))
    this.#demand = [options.demand].flat()
    this.#mix = options.mix ?? [1]
    this.#classes = world.random('classes')
    this.#demands = world.random('demands')
    this.#patienceMs = options.patienceMs ?? Number.POSITIVE_INFINITY
    this.#actor = world.agenda.register(this)
  }

  start(): void {
    this.#scheduleArrival()
  }

  handle(kind: number, id: number): void {
    const { requests, agenda } = this.#world
    if (kind === ARRIVAL) this.#arrive()
    else if (requests.deadlineMs[id] === agenda.nowMs) this.#door.abandon(id)
  }

  answered(): void {}

  #arrive(): void {
    // Drawn for the refused as well: what the next one brings must not depend on the policy.
    const luck = this.#arrived++
    const klass = pick(this.#mix, this.#classes)
    const demandMs = this.#demand[klass]!.draw(this.#demands)
    if (this.#door.ask(klass)) {
      const sending = { visitor: 0, demandMs, tier: 0, class: klass, luck, ageMs: -1 }
      const id = this.#door.send(sending)
      if (this.#patienceMs < Number.POSITIVE_INFINITY) this.#setDeadline(id)
    }
    this.#scheduleArrival()
  }

  #setDeadline(id: number): void {
    const { requests, agenda } = this.#world
    const deadlineMs = agenda.nowMs + this.#patienceMs
    requests.deadlineMs[id] = deadlineMs
    agenda.schedule(deadlineMs, this.#actor, IMPATIENCE, id)
  }

  #scheduleArrival(): void {
    const nextMs = this.#arrivals.nextMs()
    if (nextMs < Number.POSITIVE_INFINITY) {
      this.#world.agenda.schedule(nextMs, this.#actor, ARRIVAL, 0)
    }
  }
}

export function singleRequests(options: SingleRequestsOptions): ClientsFactory {
  return (world, door) => new SingleRequests(world, door, options)
}
