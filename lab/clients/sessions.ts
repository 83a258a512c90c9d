import type { Actor } from '../engine/agenda.ts'
import type { Distribution } from '../engine/distributions.ts'
import type { Random } from '../engine/random.ts'
import { type Outcome, SERVED } from '../engine/requests.ts'
import type { World } from '../origins/origin.ts'
import { type Arrivals, poisson } from './arrivals.ts'
import type { Clients, ClientsFactory, Door, SessionEnd } from './clients.ts'
import type { Phases } from './phases.ts'
import type { RateProfile } from './rates.ts'

export interface SessionsOptions {
  /** New sessions per second. */
  readonly rate: RateProfile
  readonly phases: Phases
  /** By the phase's tier. */
  readonly demands: readonly Distribution[]
  readonly think: Distribution
  readonly patienceMs: number
}

interface Session {
  readonly startMs: number
  /** Its own stream: how it goes does not depend on who else was let in. */
  readonly random: Random
  readonly index: number
  requests: number
  phase: number
}

const ARRIVAL = 0
const NEXT_PAGE = 1
const IMPATIENCE = 2

/** Visitors who go from page to page and think in between, as in soc.md §7. */
class Sessions implements Clients, Actor {
  readonly #world: World
  readonly #door: Door
  readonly #options: SessionsOptions
  readonly #arrivals: Arrivals
  readonly #sessionStreams: Random
  readonly #actor: number
  readonly #sessions: (Session | undefined)[] = []
  readonly #free: number[] = []
  #arrived = 0
  #active = 0

  constructor(world: World, door: Door, options: SessionsOptions) {
    this.#world = world
    this.#door = door
    this.#options = options
    this.#arrivals = poisson(options.rate, world.random('arrivals'))
    this.#sessionStreams = world.random('sessions')
    this.#actor = world.agenda.register(this)
  }

  get activeSessions(): number {
    return this.#active
  }

  start(): void {
    this.#scheduleArrival()
  }

  handle(kind: number, subject: number): void {
    if (kind === NEXT_PAGE) this.#visit(subject)
    else if (kind === ARRIVAL) this.#arrive()
    else this.#loseIfStillWaiting(subject)
  }

  answered(id: number, outcome: Outcome): void {
    const visitor = this.#world.requests.visitor[id]!
    if (outcome === SERVED) this.#goOn(visitor)
    else this.#end(visitor, 'broken')
  }

  #arrive(): void {
    const index = this.#arrived++
    if (this.#door.ask(0)) {
      const visitor = this.#free.pop() ?? this.#sessions.length
      const startMs = this.#world.agenda.nowMs
      const random = this.#sessionStreams.fork(index)
      this.#sessions[visitor] = { startMs, random, index, requests: 0, phase: 0 }
      this.#active++
      this.#visit(visitor)
    }
    this.#scheduleArrival()
  }

  #visit(visitor: number): void {
    const { agenda, requests } = this.#world
    const { phases, demands, patienceMs } = this.#options
    const session = this.#sessions[visitor]!
    const tier = phases.tierOf(session.phase)
    if (tier < 0) {
      this.#goOn(visitor)
      return
    }
    const demandMs = demands[tier]!.draw(session.random)
    const ageMs = agenda.nowMs - session.startMs
    const luck = (session.index * 1024 + session.requests++) | 0
    const id = this.#door.send({ visitor, demandMs, tier, class: 0, luck, ageMs })
    if (id < 0) {
      this.#end(visitor, 'broken')
      return
    }
    const deadlineMs = agenda.nowMs + patienceMs
    requests.deadlineMs[id] = deadlineMs
    if (deadlineMs < Number.POSITIVE_INFINITY) {
      agenda.schedule(deadlineMs, this.#actor, IMPATIENCE, id)
    }
  }

  /** The page is there: think, then the next one. */
  #goOn(visitor: number): void {
    const session = this.#sessions[visitor]!
    const phase = this.#options.phases.after(session.phase, session.random)
    if (phase < 0) {
      this.#end(visitor, 'completed')
      return
    }
    session.phase = phase
    const thinkMs = this.#options.think.draw(session.random)
    const { agenda } = this.#world
    agenda.schedule(agenda.nowMs + thinkMs, this.#actor, NEXT_PAGE, visitor)
  }

  #loseIfStillWaiting(id: number): void {
    const { agenda, requests } = this.#world
    if (requests.deadlineMs[id] !== agenda.nowMs) return // answered meanwhile; the number may be another's
    const visitor = requests.visitor[id]!
    this.#door.abandon(id)
    this.#end(visitor, 'abandoned')
  }

  #end(visitor: number, end: SessionEnd): void {
    this.#sessions[visitor] = undefined
    this.#free.push(visitor)
    this.#active--
    this.#door.sessionOver(end)
  }

  #scheduleArrival(): void {
    const nextMs = this.#arrivals.nextMs()
    if (nextMs < Number.POSITIVE_INFINITY) {
      this.#world.agenda.schedule(nextMs, this.#actor, ARRIVAL, 0)
    }
  }
}

export function sessions(options: SessionsOptions): ClientsFactory {
  return (world, door) => new Sessions(world, door, options)
}

/** T_think = max{−log(r) μ, 1 s} with μ = 10 s (soc.md §7). */
export const SHOP_THINK: Distribution = {
  // E max{X, m} = m + μ e^(−m/μ); E max{X, m}² = m² + 2 μ (m + μ) e^(−m/μ)
  mean: 1000 + 10_000 * Math.exp(-0.1),
  variance:
    1000 ** 2 + 2 * 10_000 * 11_000 * Math.exp(-0.1) - (1000 + 10_000 * Math.exp(-0.1)) ** 2,
  draw: (random) => Math.max(-10_000 * Math.log(1 - random.next()), 1000),
}
