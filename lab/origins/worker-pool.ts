import type { Actor } from '../engine/agenda.ts'
import { Queue } from '../engine/queue.ts'
import { ABANDONED, FAILED, type Outcome } from '../engine/requests.ts'
import type { CapacityChange, Origin, OriginFactory, OriginListener, World } from './origin.ts'

interface WorkerPoolOptions {
  /** Maximum number of requests inside: each holds a worker from its first station to its last. */
  readonly workers: number
  /** Places to wait for a worker; a request that finds none fails at once. @default no maximum */
  readonly backlog?: number
}

const TURNED_AWAY = 0

/** A concurrency limit in front of an origin, such as a server's pool of threads or connections. */
class WorkerPool implements Origin, OriginListener, Actor {
  readonly #world: World
  readonly #listener: OriginListener
  readonly #workers: number
  readonly #backlog: number
  readonly #inner: Origin
  readonly #actor: number
  readonly #waiting = new Queue()
  readonly #inside = new Set<number>()

  constructor(
    world: World,
    listener: OriginListener,
    { workers, backlog = Number.POSITIVE_INFINITY }: WorkerPoolOptions,
    inner: OriginFactory,
  ) {
    this.#world = world
    this.#listener = listener
    this.#workers = workers
    this.#backlog = backlog
    this.#inner = inner(world, this)
    this.#actor = world.agenda.register(this)
  }

  get capacity(): number {
    return this.#inner.capacity
  }

  submit(id: number): void {
    const { agenda } = this.#world
    if (this.#inside.size < this.#workers) this.#enter(id)
    else if (this.#waiting.length < this.#backlog) this.#waiting.push(id)
    else agenda.schedule(agenda.nowMs, this.#actor, TURNED_AWAY, id)
  }

  abandon(id: number): void {
    this.#world.requests.abandoned[id] = 1
    if (this.#inside.has(id)) this.#inner.abandon(id)
  }

  change(change: CapacityChange): void {
    this.#inner.change(change)
  }

  handle(_kind: number, id: number): void {
    this.#listener.finished(id, FAILED)
  }

  finished(id: number, outcome: Outcome): void {
    const { requests } = this.#world
    this.#inside.delete(id)
    this.#listener.finished(id, outcome)
    while (this.#waiting.length > 0 && this.#inside.size < this.#workers) {
      const next = this.#waiting.shift()
      if (requests.abandoned[next] === 1) this.#listener.finished(next, ABANDONED)
      else this.#enter(next)
    }
  }

  #enter(id: number): void {
    this.#inside.add(id)
    this.#inner.submit(id)
  }
}

export function workerPool(options: WorkerPoolOptions, inner: OriginFactory): OriginFactory {
  return (world, listener) => new WorkerPool(world, listener, options, inner)
}
