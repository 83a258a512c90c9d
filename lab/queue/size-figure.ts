import type { Waiting } from '../../src/admission/queue/waiting.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { Coordinator } from '../edge/coordinator.ts'
import { Isolate } from '../edge/isolate.ts'
import { Way } from '../edge/network.ts'
import { LabPlanCache } from '../edge/plan-cache.ts'
import { Relay } from '../edge/relay.ts'
import { routeOf } from '../edge/route.ts'
import { runWithPromises, Timers } from '../edge/timers.ts'
import { Agenda } from '../engine/agenda.ts'
import { streams } from '../engine/random.ts'

/** What a queue of so many visitors costs, through the product's isolates, relays and coordinator. */
export interface SizeFigure {
  readonly visitors: number
  /** People who wait at the end, and as many as the coordinator counts. */
  readonly waiting: number
  readonly counted: number
  /** The largest of each, as JSON. */
  readonly isolateReportBytes: number
  readonly relayReportBytes: number
  readonly planBytes: number
  readonly stateBytes: number
  /** Calls per second. */
  readonly relayCalls: number
  readonly coordinatorCalls: number
}

const COLOS = 2
const ISOLATES = 4
/** A few come before the crowd, so that the limit is known. */
const BEFORE = 20
const CALM_MS = 5000
const ARRIVE_MS = 20_000
const RUN_MS = 50_000
const STEP_MS = 100
const LIMIT = 5

export async function sizeFigure(visitors: number, seed: number): Promise<SizeFigure> {
  const world = new SmallWorld(seed)
  const due = new Map<number, number[]>()
  const told = Array<Waiting | null>(visitors).fill(null)
  const comesAt = (visitor: number, atMs: number): void => {
    const step = Math.ceil(atMs / STEP_MS)
    const others = due.get(step)
    if (others === undefined) due.set(step, [visitor])
    else others.push(visitor)
  }
  for (let i = 0; i < visitors; i++)
    comesAt(i, i < BEFORE ? (i * CALM_MS) / BEFORE : CALM_MS + (i * ARRIVE_MS) / visitors)
  for (let step = 0; step * STEP_MS <= RUN_MS; step++) {
    const nowMs = step * STEP_MS
    await runWithPromises(world.agenda, nowMs)
    for (const visitor of due.get(step) ?? []) {
      const isTold = (waiting: Waiting | null): void => {
        told[visitor] = waiting
        // Who has come in does not come back.
        if (waiting !== null) comesAt(visitor, Math.max(nowMs + 1, waiting.ticket.nextMs))
      }
      const answer = world.visit(visitor, told[visitor]?.ticket ?? null, nowMs)
      if (answer instanceof Promise) void answer.then(isTold)
      else isTold(answer)
    }
    due.delete(step)
  }
  const waiting = told.reduce((sum, one) => (one === null ? sum : sum + 1), 0)
  return { visitors, waiting, ...world.figure() }
}

/** Two data centres with four isolates each. */
class SmallWorld {
  readonly agenda = new Agenda()
  readonly #timers = new Timers(this.agenda)
  readonly #coordinator = new Coordinator(this.#timers)
  readonly #isolates: readonly Isolate[]
  readonly #sizes = { isolate: 0, relay: 0, plan: 0, state: 0 }
  readonly #calls = { relay: 0, coordinator: 0 }

  constructor(seed: number) {
    const random = streams(seed)
    const sla = { percentile: 95, targetMs: 1000, windowMs: 60_000 }
    const classes = [{ name: 'visitors', value: 1 }]
    const setting = { granularity: 'session', tickMs: 1000, sla, classes, tiers: ['page'] } as const
    const route = routeOf(setting as unknown as Parameters<typeof routeOf>[0], {
      learner: { name: 'fixed', options: { limit: LIMIT } },
      fairness: false,
      whenFull: ['queue'],
    })
    this.#isolates = Array.from({ length: COLOS }, (_, colo) => {
      const up = { report: (feedback: Feedback) => this.#atCoordinator(feedback) }
      const way = new Way(this.#timers, random(`way ${colo}`), {})
      const relay = new Relay(`relay ${colo}`, up, way, this.#timers)
      const cache = new LabPlanCache(this.#timers)
      return Array.from({ length: ISOLATES }, (_, i) => {
        const name = `isolate ${colo}.${i}`
        const parts = { cache, way, timers: this.#timers, random: random(name) }
        const counted = { report: (feedback: Feedback) => this.#atRelay(relay, feedback) }
        return new Isolate(name, route, { ...parts, relay: counted })
      })
    }).flat()
  }

  /** Each refresh may meet another isolate of the data centre. */
  visit(visitor: number, ticket: Waiting['ticket'] | null, nowMs: number) {
    const colo = visitor % COLOS
    const turn = Math.floor(visitor / COLOS) + Math.floor(nowMs / STEP_MS)
    const isolate = this.#isolates[colo * ISOLATES + (turn % ISOLATES)]!
    return isolate.visits({ classIndex: 0, sessionAgeMs: null, visitor, ticket }, nowMs)
  }

  #atRelay(relay: Relay, feedback: Feedback): ReturnType<Relay['report']> {
    this.#calls.relay++
    this.#sizes.isolate = Math.max(this.#sizes.isolate, bytesOf(feedback))
    return relay.report(feedback)
  }

  #atCoordinator(feedback: Feedback): ReturnType<Coordinator['report']> {
    this.#calls.coordinator++
    this.#sizes.relay = Math.max(this.#sizes.relay, bytesOf(feedback))
    const answer = this.#coordinator.report(feedback)
    this.#sizes.plan = Math.max(this.#sizes.plan, bytesOf(answer.plan))
    this.#sizes.state = Math.max(this.#sizes.state, bytesOf(this.#coordinator.state))
    return answer
  }

  figure(): Omit<SizeFigure, 'visitors' | 'waiting'> {
    const { isolate, relay, plan, state } = this.#sizes
    const queues = Object.values(this.#coordinator.state?.queues ?? {})
    let counted = 0
    for (const { counts } of queues)
      for (let i = 2; i < counts.cells.length; i += 4) counted += counts.cells[i]!
    return {
      ...{ counted, isolateReportBytes: isolate, relayReportBytes: relay },
      ...{ planBytes: plan, stateBytes: state },
      relayCalls: (this.#calls.relay * 1000) / RUN_MS,
      coordinatorCalls: (this.#calls.coordinator * 1000) / RUN_MS,
    }
  }
}

const bytesOf = (value: unknown): number => JSON.stringify(value).length
