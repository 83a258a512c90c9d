import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import type { Isolate } from './isolate.ts'

/** How many isolates a colo runs, and how long each of them lives. */
export interface ColoOptions {
  /** At the most, or exactly this many where `requestsPerIsolate` is absent; may change over time. */
  readonly isolates: number | ((nowMs: number) => number)
  /** Isolates are born with the traffic: one for each so many requests per second. @default all run at once */
  readonly requestsPerIsolate?: number | undefined
  /** An isolate without a request for this long dies. @default never */
  readonly idleMs?: number | undefined
  /** How long an isolate lives at the most. @default for ever */
  readonly life?: Distribution | undefined
}

/** Time constant of the request rate by which isolates are born. */
const RATE_MS = 1000

/** The isolates of one colo: places, each for one isolate after another. */
export class Colo {
  readonly #options: ColoOptions
  readonly #create: (place: number) => Slot
  readonly #slots: Slot[] = []
  /** Requests of late, each counted with a weight that falls with its age. */
  #recent = 0
  #recentMs = 0

  constructor(options: ColoOptions, create: (place: number) => Slot) {
    this.#options = options
    this.#create = create
  }

  /** A request arrives at the colo. Each one is to be counted once. */
  arrives(nowMs: number): void {
    this.#recent = this.#recentAt(nowMs) + 1
    this.#recentMs = nowMs
  }

  /** The isolate for a request: `luck` in [0, 1) picks one of those that run. */
  slotFor(luck: number, nowMs: number): Slot {
    const place = Math.floor(luck * this.#running(nowMs))
    while (this.#slots.length <= place) this.#slots.push(this.#create(this.#slots.length))
    return this.#slots[place]!
  }

  #running(nowMs: number): number {
    const { isolates, requestsPerIsolate } = this.#options
    const most = typeof isolates === 'number' ? isolates : Math.max(1, Math.round(isolates(nowMs)))
    if (requestsPerIsolate === undefined) return most
    const perSecond = (this.#recentAt(nowMs) * 1000) / RATE_MS
    return Math.min(most, Math.max(1, Math.ceil(perSecond / requestsPerIsolate)))
  }

  #recentAt(nowMs: number): number {
    return this.#recent * Math.exp((this.#recentMs - nowMs) / RATE_MS)
  }
}

/** A place for one isolate after another. The first is born when the first request comes. */
export class Slot {
  readonly #options: ColoOptions
  readonly #random: Random
  readonly #create: (life: number) => Isolate
  #isolate: Isolate | undefined
  #births = 0
  #diesMs = Number.NEGATIVE_INFINITY
  #usedMs = Number.NEGATIVE_INFINITY
  /** Requests of the present isolate that are under way: an isolate with work is not idle. */
  #underWay = 0

  constructor(options: ColoOptions, random: Random, create: (life: number) => Isolate) {
    this.#options = options
    this.#random = random
    this.#create = create
  }

  /** How many isolates have lived here so far. */
  get births(): number {
    return this.#births
  }

  at(nowMs: number): Isolate {
    const { idleMs = Number.POSITIVE_INFINITY, life } = this.#options
    const isIdle = this.#underWay === 0 && nowMs - this.#usedMs >= idleMs
    this.#usedMs = nowMs
    if (this.#isolate !== undefined && !isIdle && nowMs < this.#diesMs) return this.#isolate
    this.#isolate = this.#create(this.#births++)
    this.#underWay = 0
    this.#diesMs = nowMs + (life?.draw(this.#random) ?? Number.POSITIVE_INFINITY)
    return this.#isolate
  }

  opened(): void {
    this.#underWay++
  }

  /** One of the isolate's requests is over. A dead isolate's requests no longer count here. */
  settled(isolate: Isolate, nowMs: number): void {
    if (isolate !== this.#isolate) return
    this.#underWay--
    this.#usedMs = nowMs
  }
}
