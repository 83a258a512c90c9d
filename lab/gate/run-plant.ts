import type { CapacityEvent, Sample } from '../../src/control/learner.ts'
import type { ClientsFactory } from '../clients/clients.ts'
import { Agenda } from '../engine/agenda.ts'
import { streams } from '../engine/random.ts'
import { Requests } from '../engine/requests.ts'
import type { Change } from '../origins/changes.ts'
import type { OriginFactory, World } from '../origins/origin.ts'
import { Gate } from './gate.ts'
import { type LearnerFactory, learnerPolicy } from './learner-policy.ts'
import { type Measured, Measures } from './measures.ts'
import type { PlantClass, PlantSla, Policy, PolicyFactory, Setting } from './policy.ts'
import { Tallies } from './tallies.ts'

/** An origin and its clients: everything but the policy. */
export interface Plant {
  readonly granularity: 'session' | 'request'
  readonly sla: PlantSla
  readonly origin: OriginFactory
  readonly clients: ClientsFactory
  /** Names of the clients' tiers, by number. */
  readonly tiers?: readonly string[]
  readonly classes?: readonly PlantClass[]
  readonly changes?: readonly Change[]
  /** The gate waits so long for an answer; then the request has failed. @default for ever */
  readonly timeoutMs?: number
}

export interface RunOptions {
  readonly plant: Plant
  readonly seed: number
  readonly seconds: number
  /** What happens before is not judged. */
  readonly measureFromSeconds?: number
  readonly tickMs?: number
  /** From a decision until it acts. */
  readonly delayMs?: number
}

export interface Ruling {
  readonly policy?: PolicyFactory
  readonly learner?: LearnerFactory
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

const ALL: readonly PlantClass[] = [{ key: 'lab/all', value: 1 }]

/** Simulates a plant under a policy, or under a learner whose decisions are enforced. */
export function runPlant(options: RunOptions & Ruling): RunResult {
  const { plant, seed, seconds, measureFromSeconds = 0, tickMs = 1000 } = options
  const classes = plant.classes ?? ALL
  const { granularity, sla } = plant
  const setting: Setting = {
    granularity,
    tickMs,
    delayMs: options.delayMs ?? 1000,
    classes,
    sla,
  }
  const endMs = seconds * 1000
  const world: World = { agenda: new Agenda(), requests: new Requests(), random: streams(seed) }
  const values = classes.map(({ value }) => value)
  const measures = new Measures(sla, values, measureFromSeconds * 1000, endMs)
  const tallies = new Tallies(setting, plant.tiers ?? ['all'])
  const gate = new Gate(world, tallies, measures, plant.timeoutMs ?? Number.POSITIVE_INFINITY)
  const origin = plant.origin(world, gate)
  const clients = plant.clients(world, gate)
  const view = {
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
  const policy: Policy = factoryOf(options)(view, setting)
  gate.connect(policy, origin, clients)
  clients.start()

  const changes = [...(plant.changes ?? [])].sort((a, b) => a.atMs - b.atMs)
  const trace: TraceLine[] = []
  let announced: CapacityEvent[] = []
  for (let atMs = tickMs; atMs <= endMs; atMs += tickMs) {
    while (changes.length > 0 && changes[0]!.atMs <= atMs) {
      const change = changes.shift()!
      world.agenda.runUntil(change.atMs)
      const before = origin.capacity
      origin.change(change)
      if (change.announced) announced.push({ before, after: origin.capacity })
    }
    world.agenda.runUntil(atMs)
    const sample = gate.tick(tickMs, announced)
    announced = []
    const limit = policy.limit ?? Number.POSITIVE_INFINITY
    trace.push({ atMs, sample, limit, activeSessions: clients.activeSessions })
  }
  return { ...measures.result(world.agenda.nowMs), trace, events: world.agenda.scheduled }
}

function factoryOf({ policy, learner }: Ruling): PolicyFactory {
  if (policy !== undefined) return policy
  if (learner !== undefined) return learnerPolicy(learner)
  throw new TypeError('runPlant: expected a policy or a learner, got neither')
}
