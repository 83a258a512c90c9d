import type { Actor } from '../engine/agenda.ts'
import { ABANDONED, FAILED, type Outcome, SERVED } from '../engine/requests.ts'
import { ByClass, FirstCome, type Line } from './line.ts'
import type { CapacityChange, Origin, OriginFactory, OriginListener, World } from './origin.ts'
import { Servers } from './servers.ts'

export interface StationOptions {
  /** How many, or their speeds: a server of speed 2 does the work of two. */
  readonly servers: number | readonly number[]
  /** Who is next: who came first, or the lowest class number. @default 'first-come' */
  readonly order?: 'first-come' | 'by-class'
  /** Places to wait; who finds none fails at once. @default no end of them */
  readonly room?: number
  /** Thrashing: the work of a request grows by this factor with the number present when it starts. */
  readonly slowdown?: (present: number) => number
  /**
   * Does a server notice that a client has gone while it waited? If so its request is dropped when its
   * turn comes; if not, the work is done for nobody. What is in service is always finished. @default true
   */
  readonly noticesAbandonment?: boolean
}

const DONE = 0
const TURNED_AWAY = 1

/** Servers that share one line. */
export class Station implements Origin, Actor {
  readonly #world: World
  readonly #listener: OriginListener
  readonly #options: StationOptions
  readonly #noticesAbandonment: boolean
  readonly #room: number
  readonly #actor: number
  readonly #line: Line
  readonly #servers: Servers
  #speed = 1

  constructor(world: World, listener: OriginListener, options: StationOptions) {
    this.#world = world
    this.#listener = listener
    this.#options = options
    this.#noticesAbandonment = options.noticesAbandonment ?? true
    this.#room = options.room ?? Number.POSITIVE_INFINITY
    this.#line = options.order === 'by-class' ? new ByClass() : new FirstCome()
    this.#servers = new Servers(options.servers)
    this.#actor = world.agenda.register(this)
  }

  get capacity(): number {
    return this.#servers.capacity * this.#speed
  }

  submit(id: number): void {
    const { agenda, requests } = this.#world
    if (this.#servers.hasFree) this.#start(id)
    else if (this.#line.length < this.#room) this.#line.push(id, requests.class[id]!)
    else agenda.schedule(agenda.nowMs, this.#actor, TURNED_AWAY, id)
  }

  abandon(id: number): void {
    this.#world.requests.forsaken[id] = 1
  }

  change({ servers, speed, abrupt = false }: CapacityChange): void {
    if (servers !== undefined) {
      for (const id of this.#servers.resize(servers, abrupt)) this.#finish(id, FAILED)
    }
    if (speed !== undefined && speed !== this.#speed) this.#setSpeed(speed)
    this.#startWaiting()
  }

  handle(kind: number, id: number): void {
    const { agenda, requests } = this.#world
    if (kind === TURNED_AWAY) {
      this.#finish(id, FAILED)
      return
    }
    if (requests.doneMs[id] !== agenda.nowMs) return // its server changed speed or went meanwhile
    this.#servers.release(this.#servers.serverOf(id))
    this.#finish(id, SERVED)
    this.#startWaiting()
  }

  #startWaiting(): void {
    const { requests } = this.#world
    while (this.#line.length > 0 && this.#servers.hasFree) {
      const id = this.#line.shift()
      if (this.#noticesAbandonment && requests.forsaken[id] === 1) this.#finish(id, ABANDONED)
      else this.#start(id)
    }
  }

  #start(id: number): void {
    const { requests } = this.#world
    const { slowdown } = this.#options
    const server = this.#servers.take(id)
    const factor = slowdown?.(this.#servers.busyCount + this.#line.length) ?? 1
    requests.leftMs[id] = requests.demandMs[id]! * factor
    this.#expect(id, server)
  }

  /** When it will be done, if the speed stays: never, in a pause. */
  #expect(id: number, server: number): void {
    const { agenda, requests } = this.#world
    const doneMs =
      agenda.nowMs + requests.leftMs[id]! / (this.#speed * this.#servers.speedOf(server))
    requests.doneMs[id] = doneMs
    if (doneMs < Number.POSITIVE_INFINITY) agenda.schedule(doneMs, this.#actor, DONE, id)
  }

  #setSpeed(speed: number): void {
    const { agenda, requests } = this.#world
    const busy = this.#servers.busy
    for (const id of busy) {
      const perMs = this.#speed * this.#servers.speedOf(this.#servers.serverOf(id))
      if (perMs > 0) requests.leftMs[id] = (requests.doneMs[id]! - agenda.nowMs) * perMs
    }
    this.#speed = speed
    for (const id of busy) this.#expect(id, this.#servers.serverOf(id))
  }

  #finish(id: number, outcome: Outcome): void {
    this.#world.requests.doneMs[id] = Number.NaN
    this.#listener.finished(id, outcome)
  }
}

export function station(options: StationOptions): OriginFactory {
  return (world, listener) => new Station(world, listener, options)
}
