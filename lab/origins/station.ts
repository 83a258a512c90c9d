import type { Actor } from '../engine/agenda.ts'
import { Queue } from '../engine/queue.ts'
import { SERVED } from '../engine/requests.ts'
import type { Origin, OriginFactory, OriginListener, World } from './origin.ts'

export interface StationOptions {
  readonly servers: number
  /**
   * Does a server notice that a client has gone while it waited? If so its request is dropped when its
   * turn comes; if not, the work is done for nobody. What is in service is always finished.
   */
  readonly noticesAbandonment?: boolean
}

const DONE = 0

/** Servers that share one queue, first come, first served. */
export class Station implements Origin, Actor {
  readonly #world: World
  readonly #listener: OriginListener
  readonly #noticesAbandonment: boolean
  readonly #actor: number
  readonly #queue = new Queue()
  #servers: number
  #busy = 0

  constructor(world: World, listener: OriginListener, options: StationOptions) {
    this.#world = world
    this.#listener = listener
    this.#servers = options.servers
    this.#noticesAbandonment = options.noticesAbandonment ?? true
    this.#actor = world.agenda.register(this)
  }

  get servers(): number {
    return this.#servers
  }

  submit(id: number): void {
    if (this.#busy < this.#servers) this.#start(id)
    else this.#queue.push(id)
  }

  abandon(id: number): void {
    this.#world.requests.forsaken[id] = 1
  }

  /** A server that goes finishes what it has begun. */
  setServers(servers: number): void {
    this.#servers = servers
    this.#startWaiting()
  }

  handle(_kind: number, id: number): void {
    const { requests } = this.#world
    this.#busy--
    if (requests.forsaken[id] === 0) this.#listener.finished(id, SERVED)
    requests.close(id)
    this.#startWaiting()
  }

  #startWaiting(): void {
    const { requests } = this.#world
    while (this.#busy < this.#servers && this.#queue.length > 0) {
      const id = this.#queue.shift()
      if (this.#noticesAbandonment && requests.forsaken[id] === 1) requests.close(id)
      else this.#start(id)
    }
  }

  #start(id: number): void {
    this.#busy++
    const { agenda, requests } = this.#world
    agenda.schedule(agenda.nowMs + requests.demandMs[id]!, this.#actor, DONE, id)
  }
}

export function station(options: StationOptions): OriginFactory {
  return (world, listener) => new Station(world, listener, options)
}
