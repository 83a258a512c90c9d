import type { Actor } from '../engine/agenda.ts'
import { ABANDONED, FAILED, type Outcome, SERVED } from '../engine/requests.ts'
import type { CapacityChange, Origin, OriginFactory, OriginListener, World } from './origin.ts'
import { Servers } from './servers.ts'
import { ByClass, FirstCome, type WaitingQueue } from './waiting-queue.ts'

export interface StationOptions {
  /** Their number, or their speeds: a server of speed 2 does the work of two. */
  readonly servers: number | readonly number[]
  /** Order of service: by arrival, or lowest class number first. @default 'first-come' */
  readonly order?: 'first-come' | 'by-class'
  /** Places to wait; a request that finds none fails at once. @default no maximum */
  readonly room?: number
  /** Thrashing: the work of a request grows by this factor with the number present at its start. */
  readonly slowdown?: (present: number) => number
  /**
   * Whether a server notices that a client has left the queue. If so, it drops the request when its
   * turn comes; if not, it does the work in vain. A request in service is always finished. @default
   * true
   */
  readonly noticesAbandonment?: boolean
}

const DONE = 0
const TURNED_AWAY = 1

/** Servers with one common queue. */
export class Station implements Origin, Actor {
  readonly #world: World
  readonly #listener: OriginListener
  readonly #options: StationOptions
  readonly #noticesAbandonment: boolean
  readonly #room: number
  readonly #actor: number
  readonly #line: WaitingQueue
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
    this.#world.requests.abandoned[id] = 1
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
    if (requests.doneMs[id] !== agenda.nowMs) return // Its server has changed speed or left in the meantime.
    this.#servers.release(this.#servers.serverOf(id))
    this.#finish(id, SERVED)
    this.#startWaiting()
  }

  #startWaiting(): void {
    const { requests } = this.#world
    while (this.#line.length > 0 && this.#servers.hasFree) {
      const id = this.#line.shift()
      if (this.#noticesAbandonment && requests.abandoned[id] === 1) this.#finish(id, ABANDONED)
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

  /** Schedules its end at the current speed; never, during a pause. */
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
