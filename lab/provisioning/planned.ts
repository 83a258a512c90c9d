import type { CapacityRules } from '../../src/config/capacity-rules.ts'
import type { Sla } from '../../src/config/config.ts'
import type { CapacityAnswer } from '../../src/coordinator/capacity/answer.ts'
import type { Claim } from '../../src/coordinator/capacity/arbitrate.ts'
import { CapacityPlanner } from '../../src/coordinator/capacity/planner.ts'
import { NO_CAPACITY_STATE } from '../../src/coordinator/capacity/planner-state.ts'
import { Predictor } from '../../src/coordinator/capacity/predictor.ts'
import { type Control, Sentry, type TickCounts } from './control.ts'

interface PlannedOptions {
  readonly name: string
  readonly rules: CapacityRules
  readonly sla: Sla
  readonly requestsPerSession: number
  /** `all`: no sentry. `tier`: it holds what a tier carries that cannot grow. `servers`: it holds what the servers carry. */
  readonly polices: 'all' | 'tier' | 'servers'
  readonly predictor?: Predictor
  readonly value?: number
  /** The claims of the other applications that share the servers. */
  readonly others?: () => readonly Claim[]
}

/** The product's own planner as the control of a site. Simulated time starts at `START_MS`. */
export class Planned implements Control {
  readonly planner: CapacityPlanner
  /** By second: the target that was planned with. */
  readonly targetsMs: number[] = []
  readonly #options: PlannedOptions
  readonly #sentry = new Sentry()
  readonly #predictor: Predictor
  readonly #predicted = new Map<number, number | null>()

  constructor(options: PlannedOptions) {
    const { name, rules, predictor = new Predictor(rules.predict) } = options
    this.#options = options
    this.#predictor = predictor
    this.planner = new CapacityPlanner(name, rules, NO_CAPACITY_STATE, predictor)
  }

  tick(seen: TickCounts): Readonly<Record<string, number>> {
    const { offered, admitted, requests, served, latency, tiers, servers } = seen
    const { sla, requestsPerSession, value = 1, others } = this.#options
    const nowMs = START_MS + seen.nowMs
    const hour = this.#predictor.hourOf(nowMs)
    // The last minute of the hour before is complete a minute later.
    const isEarly = this.#predictor.hourOf(nowMs - 70_000) !== hour
    if (isEarly) this.#predicted.set(hour, this.#predictor.peak(nowMs))
    this.planner.setCurrent(servers)
    this.planner.tick(
      {
        ...{ nowMs, tiers, limit: null, requestsPerSession, slas: [sla] },
        classes: [{ value, rate: offered, guaranteed: 0 }],
        sample: {
          ...{ lengthMs: 1000, granularity: 'session', goodput: served, failures: 0, inFlight: 0 },
          offered: { sessions: offered, requests },
          admitted: { sessions: admitted, requests },
          tiers: [
            {
              ...{ name: 'default', percentile: sla.percentile, targetMs: 1, windowMs: 1 },
              ...{ completed: served, late: 0, latencyUs: 0, latency },
            },
          ],
          ...{ classes: [], ages: [], capacity: [] },
        },
      },
      others?.() ?? [],
    )
    const { answer } = this.planner
    if (answer === null) {
      this.targetsMs.push(sla.targets[0]!.targetMs)
      return {}
    }
    this.targetsMs.push(answer.targetMs)
    this.#sentry.hold(this.#heldRate(answer, servers))
    return Object.fromEntries(
      Object.entries(answer.tiers).map(([tier, { desired }]) => [tier, desired]),
    )
  }

  /** The peak that was predicted at the start of the hour of this second; null: none. */
  predictedAt(seconds: number): number | null {
    return this.#predicted.get(this.#predictor.hourOf(START_MS + seconds * 1000)) ?? null
  }

  admits(nowMs: number): boolean {
    return this.#sentry.admits(nowMs)
  }

  /** §5.3: the sentry admits no more sessions than the servers are there for. */
  #heldRate(answer: CapacityAnswer, servers: TickCounts['servers']): number | null {
    const { polices, requestsPerSession } = this.#options
    if (polices === 'all') return null
    if (polices === 'tier') return answer.heldRate
    const rates = Object.entries(answer.tiers).map(([name, { serverRate, visits }]) =>
      serverRate === null
        ? Number.POSITIVE_INFINITY
        : (serverRate * servers[name]!) / (visits * requestsPerSession),
    )
    return Math.min(...rates)
  }
}

/** The planner's hours are hours since 1970, so the time must not be negative in any day of history. */
export const START_MS = 100 * 86_400_000
