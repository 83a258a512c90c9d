import type { ClientGate, Clients, ClientsFactory } from '../clients/clients.ts'
import type { Visitor } from '../clients/entrance.ts'
import { pick } from '../clients/mix.ts'
import type { Actor } from '../engine/agenda.ts'
import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import type { World } from '../origins/origin.ts'

/** Users of one kind, present from one time to another. */
export interface UserGroup {
  readonly users: number
  /** A fixed class and tier, or those of the request's type. */
  readonly class: 'type' | number
  /** They arrive one after another within `overMs`. */
  readonly fromMs: number
  readonly overMs: number
  readonly untilMs?: number
}

interface UsersOptions {
  readonly groups: readonly UserGroup[]
  /** Types of requests: their share and their work. */
  readonly types: readonly { readonly part: number; readonly demand: Distribution }[]
}

/** (Welsh and Culler 2003, §4.1): 20 ms after an answer, 5 s after a rejection. */
const THINK_MS = 20
const REJECTED_MS = 5000

interface User {
  readonly group: UserGroup
  readonly visitor: Omit<Visitor, 'class'>
  readonly random: Random
}

/** A fixed number of users with one request each at a time: a slow service gets fewer requests. */
class Users implements Clients, Actor {
  readonly activeSessions = 0
  readonly #world: World
  readonly #gate: ClientGate
  readonly #types: UsersOptions['types']
  readonly #parts: readonly number[]
  readonly #users: readonly User[]
  readonly #actor: number

  constructor(world: World, gate: ClientGate, { groups, types }: UsersOptions) {
    this.#world = world
    this.#gate = gate
    this.#types = types
    this.#parts = types.map(({ part }) => part)
    const random = world.random('users')
    this.#users = groups
      .flatMap((group) => new Array<UserGroup>(group.users).fill(group))
      .map((group, index) => ({
        group,
        random: random.fork(index),
        visitor: {
          index,
          demandMs: Number.NaN,
          habit: -1,
          refusals: 0,
          notBeforeMs: 0,
          leavesMs: Number.POSITIVE_INFINITY,
        },
      }))
    this.#actor = world.agenda.register(this)
  }

  start(): void {
    for (const [number, { group, random }] of this.#users.entries()) {
      this.#askIn(group.fromMs + group.overMs * random.next(), number)
    }
  }

  handle(_kind: number, number: number): void {
    const { group, visitor, random } = this.#users[number]!
    const { nowMs } = this.#world.agenda
    if (nowMs >= (group.untilMs ?? Number.POSITIVE_INFINITY)) return
    const type = pick(this.#parts, random)
    const klass = group.class === 'type' ? type : group.class
    if (this.#gate.ask({ ...visitor, class: klass }) !== 0) {
      this.#askIn(REJECTED_MS, number)
      return
    }
    this.#gate.send({
      visitor: number,
      home: number,
      luck: number,
      demandMs: this.#types[type]!.demand.draw(random),
      tier: group.class === 'type' ? type : 0,
      class: klass,
      ageMs: -1,
    })
  }

  answered(id: number): void {
    this.#askIn(THINK_MS, this.#world.requests.visitor[id]!)
  }

  #askIn(ms: number, number: number): void {
    const { agenda } = this.#world
    agenda.schedule(agenda.nowMs + ms, this.#actor, 0, number)
  }
}

export function users(options: UsersOptions): ClientsFactory {
  return (world, gate) => new Users(world, gate, options)
}
