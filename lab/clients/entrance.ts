import type { Actor } from '../engine/agenda.ts'
import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import type { World } from '../origins/origin.ts'
import type { Arrivals, ArrivalsFactory } from './arrivals.ts'
import type { ClientGate } from './clients.ts'
import { pick } from './mix.ts'

/**
 * What refused visitors do, as shares of all visitors, together at most 1. The rest never come
 * back.
 */
export interface RetryHabits {
  /** Come back after `atOnceMs`, whatever `Retry-After` says. */
  readonly atOnce?: number
  /** Come back when `Retry-After` says so. */
  readonly asTold?: number
  /** @default 1000 */
  readonly atOnceMs?: number
  /** Number of refusals after which every visitor gives up. @default 20 */
  readonly most?: number
  /** How long visitors come back before they leave. @default for ever */
  readonly patience?: Distribution
}

export interface EntranceOptions {
  readonly arrivals: ArrivalsFactory
  /** Share of the visitors in each class. @default one class */
  readonly mix?: readonly number[]
  readonly retries?: RetryHabits
}

/** A visitor that asks for admission. */
export interface Visitor {
  /** Counts arrivals. The same visitor has the same number under every policy. */
  readonly index: number
  readonly class: number
  /** From the log; NaN: to be drawn. */
  readonly demandMs: number
  readonly habit: number
  refusals: number
  /** The visitor leaves at this time, if it is not admitted before. */
  readonly leavesMs: number
  /** Earliest time of the next draw, from the last refusal. */
  notBeforeMs: number
}

const ARRIVAL = 0
const RETRY = 1
const AT_ONCE = 0
const AS_TOLD = 1

/** Where visitors arrive, ask for admission, and come back if they retry. */
export class Entrance implements Actor {
  readonly #world: World
  readonly #gate: ClientGate
  readonly #enter: (visitor: Visitor) => void
  readonly #arrivals: Arrivals
  readonly #mix: readonly number[]
  readonly #classes: Random
  readonly #retries: Required<Omit<RetryHabits, 'patience'>>
  readonly #patience: Distribution | null
  readonly #leaving: Random
  readonly #habits: Random
  readonly #actor: number
  readonly #away = new Map<number, Visitor>()
  #arrived = 0

  constructor(
    world: World,
    gate: ClientGate,
    { arrivals, mix = [1], retries = {} }: EntranceOptions,
    enter: (visitor: Visitor) => void,
  ) {
    this.#world = world
    this.#gate = gate
    this.#enter = enter
    this.#arrivals = arrivals(world.random)
    this.#mix = mix
    this.#classes = world.random('classes')
    const { patience, ...habits } = retries
    this.#retries = { atOnce: 0, asTold: 0, atOnceMs: 1000, most: 20, ...habits }
    this.#patience = patience ?? null
    this.#leaving = world.random('leaving')
    this.#habits = world.random('habits')
    this.#actor = world.agenda.register(this)
  }

  open(): void {
    this.#scheduleArrival()
  }

  handle(kind: number, index: number): void {
    if (kind === ARRIVAL) {
      const visitor = this.#next()
      this.#scheduleArrival()
      this.#ask(visitor)
      return
    }
    const visitor = this.#away.get(index)!
    this.#away.delete(index)
    this.#ask(visitor)
  }

  /** Asks again for a visitor after its admitted request failed. */
  askAgain(visitor: Visitor, afterMs: number): void {
    this.#comeBack(visitor, this.#world.agenda.nowMs + afterMs)
  }

  #next(): Visitor {
    const { atOnce, asTold } = this.#retries
    const logged = this.#arrivals.visit
    const index = this.#arrived++
    const patienceMs = this.#patience?.draw(this.#leaving.fork(index))
    return {
      index,
      leavesMs: this.#world.agenda.nowMs + (patienceMs ?? Number.POSITIVE_INFINITY),
      class: logged?.class ?? pick(this.#mix, this.#classes),
      demandMs: logged?.demandMs ?? Number.NaN,
      habit: atOnce + asTold > 0 ? pick([atOnce, asTold, 1 - atOnce - asTold], this.#habits) : -1,
      refusals: 0,
      notBeforeMs: 0,
    }
  }

  #ask(visitor: Visitor): void {
    const told = this.#gate.ask(visitor)
    if (told instanceof Promise) void told.then((toldMs) => this.#answered(visitor, toldMs))
    else this.#answered(visitor, told)
  }

  #answered(visitor: Visitor, toldMs: number): void {
    if (toldMs === 0) {
      this.#enter(visitor)
      return
    }
    visitor.notBeforeMs = toldMs
    visitor.refusals++
    if (visitor.refusals >= this.#retries.most) return
    if (toldMs >= visitor.leavesMs) return
    if (visitor.habit === AS_TOLD) this.#comeBack(visitor, toldMs)
    else if (visitor.habit === AT_ONCE) {
      this.#comeBack(visitor, this.#world.agenda.nowMs + this.#retries.atOnceMs)
    }
  }

  #comeBack(visitor: Visitor, atMs: number): void {
    this.#away.set(visitor.index, visitor)
    this.#world.agenda.schedule(atMs, this.#actor, RETRY, visitor.index)
  }

  #scheduleArrival(): void {
    const nextMs = this.#arrivals.nextMs()
    if (nextMs < Number.POSITIVE_INFINITY) {
      this.#world.agenda.schedule(nextMs, this.#actor, ARRIVAL, 0)
    }
  }
}
