import type { Sample } from '../../src/learners/learner-interface.ts'
import type { Clients } from '../clients/clients.ts'
import { Agenda } from '../engine/agenda.ts'
import { streams } from '../engine/random.ts'
import { Requests } from '../engine/requests.ts'
import type { Origin, World } from '../origins/origin.ts'
import { SimulatedGate } from './gate.ts'
import { type LearnerFactory, learnerPolicy } from './learner-policy.ts'
import { type Measured, Measures } from './measures.ts'
import { ONE_CLASS, ONE_TIER, type Plant } from './plant.ts'
import type { PolicyFactory, Setting, View } from './policy.ts'
import { TickCounters } from './tick-counters.ts'
import { timeSteps } from './time-steps.ts'

export interface RunOptions {
  readonly plant: Plant
  readonly seed: number
  readonly seconds: number
  /** Start of the measured period. @default 0 */
  readonly measureFromSeconds?: number
  /** @default 1000 */
  readonly tickMs?: number
  /** Says for each refusal whether there was room. @default none */
  readonly clairvoyant?: PolicyFactory
}

export interface Ruling {
  readonly policy?: PolicyFactory
  readonly learner?: LearnerFactory
  /** Delay until a decision of the learner takes effect. @default 1000 */
  readonly delayMs?: number
}

/** One line for each tick. */
export interface TraceLine {
  readonly atMs: number
  readonly sample: Sample
  /** λ* in force when the tick ended; infinite: none. */
  readonly limit: number
  readonly activeSessions: number
}

export interface RunResult extends Measured {
  readonly trace: readonly TraceLine[]
  readonly events: number
}

/** Simulates a plant under a policy, or under a learner with a single gate that enforces its decisions. */
export function runPlant(options: RunOptions & Ruling): RunResult {
  const { agenda, steps } = prepare(options, factoryOf(options))
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    agenda.runUntil(step.value)
  }
}

/** A run that is ready to start. Each step gives the time up to which the agenda runs next. */
interface PreparedRun {
  readonly agenda: Agenda
  readonly steps: Generator<number, RunResult, void>
}

export function prepare(options: RunOptions, createPolicy: PolicyFactory): PreparedRun {
  const { plant, seed, seconds, measureFromSeconds = 0, tickMs = 1000 } = options
  const { granularity, sla, classes = ONE_CLASS, tiers = ONE_TIER, changes = [] } = plant
  const setting: Setting = { granularity, tickMs, classes, tiers, sla }
  const endMs = seconds * 1000
  const agenda = new Agenda()
  const world: World = { agenda, requests: new Requests(), random: streams(seed) }
  const values = classes.map(({ value }) => value)
  const measures = new Measures(sla, values, measureFromSeconds * 1000, endMs)
  const timeoutMs = plant.timeoutMs ?? Number.POSITIVE_INFINITY
  const gate = new SimulatedGate(world, new TickCounters(setting), measures, timeoutMs)
  const origin = plant.origin(world, gate)
  const clients = plant.clients(world, gate)
  const view = viewOf(gate, clients, origin)
  const policy = createPolicy(view, setting, world)
  const clairvoyant = options.clairvoyant?.(view, setting, world) ?? null
  gate.connect(policy, clairvoyant, origin, clients)
  clients.start()

  const trace: TraceLine[] = []
  const ticks = timeSteps({ origin, changes, tickMs, endMs }, (atMs, announced) => {
    const sample = gate.tick(tickMs, announced)
    const limit = policy.limit ?? Number.POSITIVE_INFINITY
    trace.push({ atMs, sample, limit, activeSessions: clients.activeSessions })
  })
  function* steps(): Generator<number, RunResult, void> {
    yield* ticks
    return { ...measures.result(agenda.nowMs), trace, events: agenda.scheduled }
  }
  return { agenda, steps: steps() }
}

function viewOf(gate: SimulatedGate, clients: Clients, origin: Origin): View {
  return {
    get inFlight() {
      return gate.inFlight
    },
    get activeSessions() {
      return clients.activeSessions
    },
    get capacity() {
      return origin.capacity
    },
  }
}

function factoryOf({ policy, learner, delayMs = 1000 }: Ruling): PolicyFactory {
  if (policy !== undefined) return policy
  if (learner !== undefined) return learnerPolicy(learner, delayMs)
  throw new TypeError('runPlant: expected a policy or a learner, got neither')
}
