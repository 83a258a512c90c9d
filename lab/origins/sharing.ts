import type { Actor } from '../engine/agenda.ts'
import { Ranking } from '../engine/ranking.ts'
import { FAILED, SERVED } from '../engine/requests.ts'
import type { CapacityChange, Origin, OriginFactory, OriginListener, World } from './origin.ts'

interface SharingOptions {
  /** Processors. With fewer requests than processors, each request has one for itself. */
  readonly servers: number
  /** Maximum number of requests at once; further ones fail at once. @default no maximum */
  readonly most?: number
  /** Thrashing: share of the work that is useful with this many requests present, at most 1. */
  readonly efficiency?: (present: number) => number
}

const NEXT_DONE = 0
const TURNED_AWAY = 1

/**
 * Processor sharing: all requests are served at once, each with an equal share. On a clock that
 * runs at the speed of one request's progress, a request leaves exactly its demand after its
 * arrival, whichever others come and go.
 */
class Sharing implements Origin, Actor {
  readonly #world: World
  readonly #listener: OriginListener
  readonly #options: SharingOptions
  readonly #actor: number
  /** Sorted by the progress at which they are done. */
  readonly #present = new Ranking()
  #servers: number
  #speed = 1
  /**
   * Work that a request present all the time would have received, and the time up to which it is
   * computed.
   */
  #progressMs = 0
  #reckonedMs = 0
  /** When the next request is expected to be done; an event at another time is outdated. */
  #nextMs = Number.POSITIVE_INFINITY

  constructor(world: World, listener: OriginListener, options: SharingOptions) {
    this.#world = world
    this.#listener = listener
    this.#options = options
    this.#servers = options.servers
    this.#actor = world.agenda.register(this)
  }

  get capacity(): number {
    return this.#servers * this.#speed
  }

  submit(id: number): void {
    const { agenda, requests } = this.#world
    if (this.#present.length >= (this.#options.most ?? Number.POSITIVE_INFINITY)) {
      agenda.schedule(agenda.nowMs, this.#actor, TURNED_AWAY, id)
      return
    }
    this.#reckon()
    this.#present.add(this.#progressMs + requests.demandMs[id]!, id)
    this.#expectNext()
  }

  abandon(id: number): void {
    this.#world.requests.abandoned[id] = 1
  }

  /** Requests are not tied to processors, so an abrupt change loses none. */
  change({ servers, speed }: CapacityChange): void {
    this.#reckon()
    if (servers !== undefined) {
      this.#servers = typeof servers === 'number' ? servers : servers.reduce((sum, s) => sum + s, 0)
    }
    this.#speed = speed ?? this.#speed
    this.#expectNext()
  }

  handle(kind: number, id: number): void {
    if (kind === TURNED_AWAY) this.#listener.finished(id, FAILED)
    else if (this.#world.agenda.nowMs === this.#nextMs) this.#serveNext()
  }

  #serveNext(): void {
    this.#reckon()
    // This event belongs to the first request: its progress is complete, apart from rounding
    // errors.
    this.#progressMs = Math.max(this.#progressMs, this.#present.leastKey)
    const id = this.#present.removeLeast()
    this.#expectNext()
    this.#listener.finished(id, SERVED)
  }

  /** Progress of each request per millisecond. */
  #pace(): number {
    const present = this.#present.length
    const useful = this.#options.efficiency?.(present) ?? 1
    return this.#speed * useful * Math.min(1, this.#servers / present)
  }

  #reckon(): void {
    const { nowMs } = this.#world.agenda
    if (this.#present.length > 0) this.#progressMs += (nowMs - this.#reckonedMs) * this.#pace()
    this.#reckonedMs = nowMs
  }

  #expectNext(): void {
    const { agenda } = this.#world
    this.#nextMs = Number.POSITIVE_INFINITY
    if (this.#present.length === 0) return
    const left = Math.max(0, this.#present.leastKey - this.#progressMs)
    this.#nextMs = agenda.nowMs + left / this.#pace()
    if (this.#nextMs < Number.POSITIVE_INFINITY) {
      agenda.schedule(this.#nextMs, this.#actor, NEXT_DONE, 0)
    }
  }
}

export function sharing(options: SharingOptions): OriginFactory {
  return (world, listener) => new Sharing(world, listener, options)
}
