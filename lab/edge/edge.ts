import type { Route } from '../../src/config/config.ts'
import type { CapacityEvent } from '../../src/learners/learner-interface.ts'
import type { InFlightRequest } from '../../src/measure/in-flight-request.ts'
import type { Sending } from '../clients/clients.ts'
import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import { ABANDONED, FAILED, type Outcome } from '../engine/requests.ts'
import type { Policy, PolicyFactory, Setting } from '../gate/policy.ts'
import type { World } from '../origins/origin.ts'
import { Coordinator } from './coordinator.ts'
import { Isolate } from './isolate.ts'
import { Way, type WayOptions } from './network.ts'
import { Relay } from './relay.ts'
import { type EdgeRules, routeOf } from './route.ts'
import { Timers } from './timers.ts'

export interface EdgeOptions extends EdgeRules {
  /** @default 1 */
  readonly colos?: number
  /** In each colo. @default 1 */
  readonly isolates?: number
  /** How uneven the colos are: the k-th sees 1/k^skew of what the first sees. @default 0: all the same */
  readonly skew?: number
  /** How long an isolate lives; then a new one, which knows nothing, takes its place. @default for ever */
  readonly isolateLife?: Distribution
  /** Between isolate and relay. @default no delay, no loss */
  readonly toRelay?: WayOptions
  /** Between relay and coordinator. @default no delay, no loss */
  readonly toCoordinator?: WayOptions
}

/** The product's own edge and coordinator: many isolates, a relay for each colo, one core. */
class Edge implements Policy {
  readonly #route: Route
  readonly #setting: Setting
  readonly #world: World
  readonly #options: EdgeOptions
  readonly #timers: Timers
  readonly #coordinator: Coordinator
  readonly #colos: readonly (readonly Slot[])[]
  /** Where the colos' parts of the traffic end, from 0 to 1. */
  readonly #ends: readonly number[]
  readonly #places: Random
  readonly #inFlight: (SentRequest | undefined)[] = []

  constructor(setting: Setting, world: World, options: EdgeOptions) {
    const { colos = 1, isolates = 1, skew = 0 } = options
    this.#route = routeOf(setting, options)
    this.#setting = setting
    this.#world = world
    this.#options = options
    this.#timers = new Timers(world.agenda)
    this.#coordinator = new Coordinator(this.#timers)
    this.#places = world.random('places')
    this.#ends = endsOf(Array.from({ length: colos }, (_, i) => 1 / (i + 1) ** skew))
    this.#colos = this.#ends.map((_, colo) => {
      const way = new Way(this.#timers, world.random(`to coordinator ${colo}`), {
        ...options.toCoordinator,
      })
      const relay = new Relay(`relay ${colo}`, this.#coordinator, way, this.#timers)
      return Array.from({ length: isolates }, (_, place) => this.#slot(relay, colo, place))
    })
  }

  get limit(): number {
    return this.#coordinator.plan?.routes[this.#route.name]?.limit ?? Number.POSITIVE_INFINITY
  }

  admits(klass: number, nowMs: number, home: number): boolean | Promise<boolean> {
    const classIndex = this.#classOf(klass, 0)
    const asking = { classIndex, sessionAgeMs: null, visitor: home }
    return this.#isolateFor(home, home, nowMs).admits(asking, nowMs)
  }

  cameEarly(klass: number, nowMs: number, home: number): void {
    const classIndex = this.#classOf(klass, 0)
    const asking = { classIndex, sessionAgeMs: null, isEarly: true, visitor: home }
    void this.#isolateFor(home, home, nowMs).admits(asking, nowMs)
  }

  sent(id: number, { class: klass, tier, home, luck, ageMs }: Sending, nowMs: number): void {
    const isolate = this.#isolateFor(home, luck, nowMs)
    const classIndex = this.#classOf(klass, tier)
    const sessionAgeMs = ageMs >= 0 ? ageMs : null
    const request = { classIndex, sessionAgeMs, visitor: home }
    // The first request of a session is the one that was drawn. Later ones pass as members of it.
    if (ageMs > 0) void isolate.admits(request, nowMs)
    this.#inFlight[id] = { isolate, classIndex, request: isolate.begins(request, nowMs) }
  }

  finished(_latencyMs: number, outcome: Outcome, nowMs: number, id: number): void {
    const { isolate, classIndex, request } = this.#inFlight[id]!
    this.#inFlight[id] = undefined
    isolate.settles(request, isolate.pathOf(classIndex), outcomeOf(outcome), nowMs)
  }

  announce(event: CapacityEvent): void {
    this.#coordinator.announce(event)
  }

  /** The product's classes are those of the plant, each once for every tier. */
  #classOf(klass: number, tier: number): number {
    return klass * this.#setting.tiers.length + tier
  }

  /** A visitor stays in one colo; each request may meet another of its isolates. */
  #isolateFor(home: number, luck: number, nowMs: number): Isolate {
    const where = this.#places.fork(home).next()
    const slots = this.#colos[this.#ends.findIndex((end) => where < end)]!
    const slot = slots.length === 1 ? 0 : Math.floor(this.#places.fork(~luck).next() * slots.length)
    return slots[slot]!.at(nowMs)
  }

  #slot(relay: Relay, colo: number, place: number): Slot {
    const { isolateLife, toRelay } = this.#options
    const name = `isolate ${colo}.${place}`
    const random = this.#world.random(name)
    const way = new Way(this.#timers, this.#world.random(`${name} to relay`), { ...toRelay })
    return new Slot(isolateLife, random, (life) => {
      const parts = { relay, way, timers: this.#timers, random: random.fork(life) }
      return new Isolate(`${name} ${life}`, this.#route, parts)
    })
  }
}

interface SentRequest {
  readonly isolate: Isolate
  readonly classIndex: number
  readonly request: InFlightRequest
}

/** A place for one isolate after another. The first is born when the first request comes. */
class Slot {
  readonly #life: Distribution | undefined
  readonly #random: Random
  readonly #create: (life: number) => Isolate
  #isolate: Isolate | undefined
  #lives = 0
  #diesMs = Number.NEGATIVE_INFINITY

  constructor(life: Distribution | undefined, random: Random, create: (life: number) => Isolate) {
    this.#life = life
    this.#random = random
    this.#create = create
  }

  at(nowMs: number): Isolate {
    if (this.#isolate === undefined || nowMs >= this.#diesMs) {
      this.#isolate = this.#create(this.#lives++)
      this.#diesMs = nowMs + (this.#life?.draw(this.#random) ?? Number.POSITIVE_INFINITY)
    }
    return this.#isolate
  }
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
