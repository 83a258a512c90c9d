import type { Actor } from '../engine/agenda.ts'
import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import { type Outcome, SERVED } from '../engine/requests.ts'
import type { World } from '../origins/origin.ts'
import type { ClientGate, Clients, ClientsFactory, SessionEnd } from './clients.ts'
import { Entrance, type EntranceOptions, type Visitor } from './entrance.ts'
import type { Phases } from './phases.ts'

interface SessionsOptions extends EntranceOptions {
  readonly phases: Phases
  /** By tier of the phase. */
  readonly demands: readonly Distribution[]
  /** By class, how many times as much its pages demand. @default 1 for all */
  readonly costs?: readonly number[]
  readonly think: Distribution
  /** How long a visitor waits for a page before leaving. @default for ever */
  readonly patience?: Distribution
  /**
   * A page that failed is requested again, at most `most` times, each after `afterMs`. @default the
   * session breaks off
   */
  readonly resend?: { readonly most: number; readonly afterMs: number }
}

interface Session {
  /**
   * The visitor's number. What is drawn for the session depends on it only, not on other visitors.
   */
  readonly index: number
  readonly random: Random
  readonly class: number
  readonly startMs: number
  phase: number
  requests: number
  resends: number
}

const NEXT_PAGE = 0
const IMPATIENCE = 1

/** Requests of one session that get their own random streams at the origin. */
const MOST_REQUESTS = 1024

/** Visitors that go from page to page and think in between, as in Bartolini et al. 2009, §7. */
class Sessions implements Clients, Actor {
  readonly #world: World
  readonly #gate: ClientGate
  readonly #options: SessionsOptions
  readonly #entrance: Entrance
  readonly #streams: Random
  readonly #actor: number
  readonly #sessions: (Session | undefined)[] = []
  readonly #free: number[] = []
  #active = 0

  constructor(world: World, gate: ClientGate, options: SessionsOptions) {
    this.#world = world
    this.#gate = gate
    this.#options = options
    this.#entrance = new Entrance(world, gate, options, (visitor) => this.#begin(visitor))
    this.#streams = world.random('sessions')
    this.#actor = world.agenda.register(this)
  }

  get activeSessions(): number {
    return this.#active
  }

  start(): void {
    this.#entrance.open()
  }

  handle(kind: number, subject: number): void {
    if (kind === NEXT_PAGE) this.#visit(subject)
    else this.#loseIfStillWaiting(subject)
  }

  answered(id: number, outcome: Outcome): void {
    const number = this.#world.requests.visitor[id]!
    if (outcome === SERVED) this.#goOn(number)
    else this.#tryAgain(number)
  }

  #begin({ index, class: klass }: Visitor): void {
    const number = this.#free.pop() ?? this.#sessions.length
    this.#sessions[number] = {
      index,
      random: this.#streams.fork(index),
      class: klass,
      startMs: this.#world.agenda.nowMs,
      phase: 0,
      requests: 0,
      resends: 0,
    }
    this.#active++
    this.#visit(number)
  }

  #visit(number: number): void {
    const { agenda, requests } = this.#world
    const { phases, demands, costs, patience } = this.#options
    const session = this.#sessions[number]!
    const tier = phases.tierOf(session.phase)
    if (tier < 0) {
      this.#goOn(number)
      return
    }
    const id = this.#gate.send({
      visitor: number,
      home: session.index,
      luck: (session.index * MOST_REQUESTS + session.requests++) | 0,
      demandMs: demands[tier]!.draw(session.random) * (costs?.[session.class] ?? 1),
      tier,
      class: session.class,
      ageMs: agenda.nowMs - session.startMs,
    })
    if (id < 0) this.#end(number, 'broken')
    else if (patience) {
      const deadlineMs = agenda.nowMs + patience.draw(session.random)
      requests.deadlineMs[id] = deadlineMs
      agenda.schedule(deadlineMs, this.#actor, IMPATIENCE, id)
    }
  }

  /** The page has arrived: think, then request the next one. */
  #goOn(number: number): void {
    const { agenda } = this.#world
    const session = this.#sessions[number]!
    const phase = this.#options.phases.after(session.phase, session.random)
    if (phase < 0) {
      this.#end(number, 'completed')
      return
    }
    session.phase = phase
    session.resends = 0
    const thinkMs = this.#options.think.draw(session.random)
    agenda.schedule(agenda.nowMs + thinkMs, this.#actor, NEXT_PAGE, number)
  }

  #tryAgain(number: number): void {
    const { resend } = this.#options
    const session = this.#sessions[number]!
    if (resend === undefined || session.resends >= resend.most) {
      this.#end(number, 'broken')
      return
    }
    session.resends++
    const { agenda } = this.#world
    agenda.schedule(agenda.nowMs + resend.afterMs, this.#actor, NEXT_PAGE, number)
  }

  #loseIfStillWaiting(id: number): void {
    const { agenda, requests } = this.#world
    if (requests.deadlineMs[id] !== agenda.nowMs) return // Answered in the meantime; another request may have the number now.
    const number = requests.visitor[id]!
    this.#gate.abandon(id)
    this.#end(number, 'abandoned')
  }

  #end(number: number, end: SessionEnd): void {
    this.#sessions[number] = undefined
    this.#free.push(number)
    this.#active--
    this.#gate.sessionOver(end)
  }
}

export function sessions(options: SessionsOptions): ClientsFactory {
  return (world, gate) => new Sessions(world, gate, options)
}

/** T_think = max{−log(r) μ, 1 s} with μ = 10 s (Bartolini et al. 2009, §7). */
export const SHOP_THINK: Distribution = {
  // E max{X, m} = m + μ e^(−m/μ); E max{X, m}² = m² + 2 μ (m + μ) e^(−m/μ)
  mean: 1000 + 10_000 * Math.exp(-0.1),
  variance:
    1000 ** 2 + 2 * 10_000 * 11_000 * Math.exp(-0.1) - (1000 + 10_000 * Math.exp(-0.1)) ** 2,
  draw: (random) => Math.max(-10_000 * Math.log(1 - random.next()), 1000),
}
