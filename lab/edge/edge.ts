import type { Ticket } from '../../src/admission/queue/ticket.ts'
import type { Waiting } from '../../src/admission/queue/waiting.ts'
import type { Route } from '../../src/config/config.ts'
import type { CapacityEvent } from '../../src/learners/learner-interface.ts'
import type { InFlightRequest } from '../../src/measure/in-flight-request.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import type { Sending } from '../clients/clients.ts'
import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import { ABANDONED, FAILED, type Outcome } from '../engine/requests.ts'
import type { Policy, PolicyFactory, Setting } from '../gate/policy.ts'
import type { World } from '../origins/origin.ts'
import { Colo, type ColoOptions, Slot } from './colo.ts'
import { Coordinator } from './coordinator.ts'
import { Isolate, type IsolateParts, type LabRequest } from './isolate.ts'
import { Way, type WayOptions } from './network.ts'
import { LabPlanCache } from './plan-cache.ts'
import { Relay } from './relay.ts'
import { type EdgeRules, routeOf } from './route.ts'
import { Timers } from './timers.ts'

export interface EdgeOptions extends EdgeRules {
  /** @default 1 */
  readonly colos?: number
  /** In each colo; may change over time. @default 1 */
  readonly isolates?: ColoOptions['isolates']
  /** Isolates are born with the traffic: one for each so many requests per second. @default all run at once */
  readonly requestsPerIsolate?: number
  /** An isolate without a request for this long dies. @default never */
  readonly idleMs?: number
  /** How uneven the colos are: the k-th sees 1/k^skew of what the first sees. @default 0: all the same */
  readonly skew?: number
  /** How long an isolate lives; then a new one, which knows nothing, takes its place. @default for ever */
  readonly isolateLife?: Distribution
  /** Between isolate and relay. @default no delay, no loss */
  readonly toRelay?: WayOptions
  /** Between relay and coordinator. @default no delay, no loss */
  readonly toCoordinator?: WayOptions
  /** The path of a request. @default one path for each class and tier */
  readonly pathOf?: (sending: Sending) => string
  /** true: every answer counts as one page, whatever it costs. @default false, as in the product */
  readonly countsAlike?: boolean
  /** Watches the plans of the coordinator. @default nobody does */
  readonly onPlan?: (plan: Plan, nowMs: number) => void
  /** Watches the waiting room. @default nobody does */
  readonly onVisit?: (visit: QueueVisit) => void
}

/** A visitor asked for admission on a route with a waiting room. */
export interface QueueVisit {
  readonly visitor: number
  /** null: it is in. */
  readonly told: Waiting | null
  /** The ticket that it came with; null: none. */
  readonly ticket: Ticket | null
  readonly nowMs: number
}

/** The product's own edge and coordinator: many isolates, a relay for each colo, one core. */
class Edge implements Policy {
  readonly #route: Route
  readonly #setting: Setting
  readonly #world: World
  readonly #options: EdgeOptions
  readonly #timers: Timers
  readonly #coordinator: Coordinator
  readonly #colos: readonly Colo[]
  readonly #coloOptions: ColoOptions
  /** Where the colos' parts of the traffic end, from 0 to 1. */
  readonly #ends: readonly number[]
  readonly #places: Random
  readonly #inFlight: (SentRequest | undefined)[] = []
  /** Visitors that were admitted and have sent nothing yet. */
  readonly #admitted = new Map<number, Slot>()
  /** By visitor, what it was told in the waiting room. */
  readonly #waiting = new Map<number, Waiting>()

  constructor(setting: Setting, world: World, options: EdgeOptions) {
    const { colos = 1, isolates = 1, skew = 0 } = options
    const { requestsPerIsolate, idleMs, isolateLife: life } = options
    this.#coloOptions = { isolates, requestsPerIsolate, idleMs, life }
    this.#route = routeOf(setting, options)
    this.#setting = setting
    this.#world = world
    this.#options = options
    this.#timers = new Timers(world.agenda)
    const { countsAlike, onPlan } = options
    this.#coordinator = new Coordinator(this.#timers, countsAlike, onPlan)
    this.#places = world.random('places')
    this.#ends = endsOf(Array.from({ length: colos }, (_, i) => 1 / (i + 1) ** skew))
    this.#colos = this.#ends.map((_, colo) => {
      const way = new Way(this.#timers, world.random(`to coordinator ${colo}`), {
        ...options.toCoordinator,
      })
      const relay = new Relay(`relay ${colo}`, this.#coordinator, way, this.#timers)
      const cache = new LabPlanCache(this.#timers)
      return new Colo(this.#coloOptions, (place) => this.#slot({ relay, cache }, colo, place))
    })
  }

  get limit(): number {
    return this.#coordinator.plan?.routes[this.#route.name]?.limit ?? Number.POSITIVE_INFINITY
  }

  admits(klass: number, nowMs: number, home: number): boolean | Promise<boolean> {
    const classIndex = this.#classOf(klass, 0)
    const asking = { classIndex, sessionAgeMs: null, visitor: home }
    if (this.#route.whenFull.at(-1) === 'queue') return this.#waits(asking, nowMs)
    const slot = this.#arrivesAt(home, nowMs)
    const admitted = slot.at(nowMs).admits(asking, nowMs)
    if (!(admitted instanceof Promise)) return this.#decided(home, slot, admitted)
    return admitted.then((isIn) => this.#decided(home, slot, isIn))
  }

  #decided(home: number, slot: Slot, isIn: boolean): boolean {
    if (isIn) this.#admitted.set(home, slot)
    return isIn
  }

  /** When a waiting visitor comes back. */
  comesBackMs(home: number): number | null {
    return this.#waiting.get(home)?.ticket.nextMs ?? null
  }

  #waits(asking: LabRequest, nowMs: number): boolean | Promise<boolean> {
    const { visitor } = asking
    const ticket = this.#waiting.get(visitor)?.ticket ?? null
    // Each refresh may meet another isolate.
    const luck = ticket === null ? visitor : Math.round(visitor * 31 + nowMs)
    const colo = this.#coloOf(visitor)
    colo.arrives(nowMs)
    const told = this.#slotIn(colo, luck, nowMs)
      .at(nowMs)
      .visits({ ...asking, ticket }, nowMs)
    return told instanceof Promise
      ? told.then((late) => this.#isTold(visitor, ticket, late))
      : this.#isTold(visitor, ticket, told)
  }

  /** True: the visitor is in. */
  #isTold(visitor: number, ticket: Ticket | null, told: Waiting | null): boolean {
    if (told === null) this.#waiting.delete(visitor)
    else this.#waiting.set(visitor, told)
    this.#options.onVisit?.({ visitor, told, ticket, nowMs: this.#timers.nowMs })
    return told === null
  }

  cameEarly(klass: number, nowMs: number, home: number): void {
    const classIndex = this.#classOf(klass, 0)
    const asking = { classIndex, sessionAgeMs: null, isEarly: true, visitor: home }
    void this.#arrivesAt(home, nowMs).at(nowMs).admits(asking, nowMs)
  }

  sent(id: number, sending: Sending, nowMs: number): void {
    const { class: klass, tier, home, luck, ageMs } = sending
    const colo = this.#coloOf(home)
    // A session's first request and one without a session have asked just now, and were counted then.
    if (ageMs > 0) colo.arrives(nowMs)
    // The isolate that has admitted a visitor sends its first request.
    const slot = this.#admitted.get(home) ?? this.#slotIn(colo, luck, nowMs)
    this.#admitted.delete(home)
    const isolate = slot.at(nowMs)
    const classIndex = this.#classOf(klass, tier)
    const sessionAgeMs = ageMs >= 0 ? ageMs : null
    const request = { classIndex, sessionAgeMs, visitor: home }
    // The first request of a session is the one that was drawn. Later ones pass as members of it.
    if (ageMs > 0) void isolate.admits(request, nowMs)
    slot.opened()
    const path = this.#options.pathOf?.(sending) ?? isolate.pathOf(classIndex)
    const begun = isolate.begins(request, nowMs)
    this.#inFlight[id] = { slot, isolate, classIndex, path, request: begun }
  }

  finished(_latencyMs: number, outcome: Outcome, nowMs: number, id: number): void {
    const { slot, isolate, classIndex, path, request } = this.#inFlight[id]!
    this.#inFlight[id] = undefined
    slot.settled(isolate, nowMs)
    isolate.settles(request, classIndex, outcomeOf(outcome), nowMs, path)
  }

  announce(event: CapacityEvent): void {
    this.#coordinator.announce(event)
  }

  /** The product's classes are those of the plant, each once for every tier. */
  #classOf(klass: number, tier: number): number {
    return klass * this.#setting.tiers.length + tier
  }

  /** Where the isolate runs that a new visitor asks. */
  #arrivesAt(home: number, nowMs: number): Slot {
    const colo = this.#coloOf(home)
    colo.arrives(nowMs)
    return this.#slotIn(colo, home, nowMs)
  }

  /** A visitor stays in one colo; each request may meet another of its isolates. */
  #coloOf(home: number): Colo {
    if (this.#colos.length === 1) return this.#colos[0]!
    const where = this.#places.fork(home).next()
    return this.#colos[this.#ends.findIndex((end) => where < end)]!
  }

  #slotIn(colo: Colo, luck: number, nowMs: number): Slot {
    const isSingle = this.#coloOptions.isolates === 1
    return colo.slotFor(isSingle ? 0 : this.#places.fork(~luck).next(), nowMs)
  }

  #slot(parts: Pick<IsolateParts, 'relay' | 'cache'>, colo: number, place: number): Slot {
    const { toRelay } = this.#options
    const name = `isolate ${colo}.${place}`
    const random = this.#world.random(name)
    const way = new Way(this.#timers, this.#world.random(`${name} to relay`), { ...toRelay })
    return new Slot(this.#coloOptions, random, (life) => {
      const { countsAlike = false } = this.#options
      const own = { ...parts, way, timers: this.#timers, random: random.fork(life), countsAlike }
      return new Isolate(`${name} ${life}`, this.#route, own)
    })
  }
}

interface SentRequest {
  readonly slot: Slot
  readonly isolate: Isolate
  readonly classIndex: number
  readonly path: string
  readonly request: InFlightRequest
}

function endsOf(weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0)
  let end = 0
  return weights.map((weight, i) => {
    end += weight / sum
    return i === weights.length - 1 ? 1 : end
  })
}

function outcomeOf(outcome: Outcome): 'served' | 'failed' | 'abandoned' {
  if (outcome === ABANDONED) return 'abandoned'
  return outcome === FAILED ? 'failed' : 'served'
}

export function edgePolicy(options: EdgeOptions): PolicyFactory {
  return (_view, setting, world) => new Edge(setting, world, options)
}
