import type { Actor } from '../engine/agenda.ts'
import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import { type Outcome, SERVED } from '../engine/requests.ts'
import type { World } from '../origins/origin.ts'
import type { ClientGate, Clients, ClientsFactory } from './clients.ts'
import { Entrance, type EntranceOptions, type Visitor } from './entrance.ts'

export interface SingleRequestsOptions extends EntranceOptions {
  /** By class; a single distribution applies to all. */
  readonly demand: Distribution | readonly Distribution[]
  /** Tier of the origin for each class. @default 0 for all */
  readonly tiers?: readonly number[]
  /** How long a client waits for an answer. @default for ever */
  readonly patience?: Distribution
  /**
   * A client sends a request again that failed or took too long: at most `most` times, after
   * `afterMs`.
   */
  readonly resend?: { readonly most: number; readonly afterMs: number }
}

const IMPATIENCE = 0

/** Clients of a route without sessions: requests are independent. */
class SingleRequests implements Clients, Actor {
  readonly activeSessions = 0
  readonly #world: World
  readonly #gate: ClientGate
  readonly #options: SingleRequestsOptions
  readonly #demands: Random
  readonly #entrance: Entrance
  readonly #actor: number
  /** Visitors that may send again, by number; empty if no client resends. */
  readonly #waiting = new Map<number, { readonly visitor: Visitor; left: number }>()

  constructor(world: World, gate: ClientGate, options: SingleRequestsOptions) {
    this.#world = world
    this.#gate = gate
    this.#options = options
    this.#demands = world.random('demands')
    this.#entrance = new Entrance(world, gate, options, (visitor) => this.#send(visitor))
    this.#actor = world.agenda.register(this)
  }

  start(): void {
    this.#entrance.open()
  }

  answered(id: number, outcome: Outcome): void {
    const index = this.#world.requests.visitor[id]!
    if (outcome === SERVED) this.#waiting.delete(index)
    else this.#resend(index)
  }

  handle(_kind: number, id: number): void {
    const { requests, agenda } = this.#world
    if (requests.deadlineMs[id] !== agenda.nowMs) return // answered in the meantime
    const index = requests.visitor[id]!
    this.#gate.abandon(id)
    this.#resend(index)
  }

  #send(visitor: Visitor): void {
    const { index, class: klass } = visitor
    const { demand, patience, resend, tiers } = this.#options
    const random = this.#demands.fork(index)
    const distribution = 'draw' in demand ? demand : demand[klass]!
    const drawnMs = distribution.draw(random)
    const id = this.#gate.send({
      visitor: index,
      home: index,
      luck: index,
      demandMs: Number.isNaN(visitor.demandMs) ? drawnMs : visitor.demandMs,
      tier: tiers?.[klass] ?? 0,
      class: klass,
      ageMs: -1,
    })
    if (resend && !this.#waiting.has(index)) {
      this.#waiting.set(index, { visitor, left: resend.most })
    }
    if (patience) this.#setDeadline(id, patience.draw(random))
  }

  #resend(index: number): void {
    const waiting = this.#waiting.get(index)
    if (waiting === undefined) return
    if (waiting.left-- > 0) this.#entrance.askAgain(waiting.visitor, this.#options.resend!.afterMs)
    else this.#waiting.delete(index)
  }

  #setDeadline(id: number, patienceMs: number): void {
    const { requests, agenda } = this.#world
    const deadlineMs = agenda.nowMs + patienceMs
    requests.deadlineMs[id] = deadlineMs
    agenda.schedule(deadlineMs, this.#actor, IMPATIENCE, id)
  }
}

export function singleRequests(options: SingleRequestsOptions): ClientsFactory {
  return (world, gate) => new SingleRequests(world, gate, options)
}
