import { poisson } from '../../lab/clients/arrivals.ts'
import { Phases } from '../../lab/clients/phases.ts'
import { steps } from '../../lab/clients/profiles.ts'
import { sessions } from '../../lab/clients/sessions.ts'
import { deterministic, exponential } from '../../lab/engine/distributions.ts'
import type { Plant } from '../../lab/gate/plant.ts'
import { plantR } from '../../lab/gate/plants.ts'
import { type RunResult, runPlant } from '../../lab/gate/run-plant.ts'
import type { Decision, Learner, Sample } from '../../src/learners/learner-interface.ts'
import { judge } from '../../src/learners/soc-lqr/judge.ts'
import { SocLqrLearner } from '../../src/learners/soc-lqr/learner.ts'
import type { Assessment } from '../../src/learners/soc-lqr/operating-point.ts'
import type { SocLqrState } from '../../src/learners/soc-lqr/state.ts'
import { addTick, isFull, tickOf } from '../../src/learners/soc-lqr/tick.ts'
import { addToTiers } from '../../src/learners/soc-lqr/tiers.ts'

/** A surge on one origin, second by second with what soc-lqr sees, believes and decides. */
export interface Surge {
  readonly granularity: Plant['granularity']
  readonly onsetS: number
  readonly endS: number
  readonly targetMs: number
  /** What the origin takes: requests per second, and in the unit of the limit. */
  readonly capacity: number
  readonly saturation: number
  readonly trace: RunResult['trace']
  readonly steps: readonly SurgeStep[]
}

export interface SurgeStep {
  readonly second: number
  readonly sample: Sample
  readonly decision: Decision
  readonly state: SocLqrState
  /** Of the interval that this tick has ended; null: it goes on. */
  readonly verdict: Assessment | null
}

const CAPACITY = 200
const SURGE = 5
const PAGES = 5
const THINK_MS = 2000

/** Eight servers of 40 ms. Half of what they take comes, then five times as much as they take. */
export function surgeOf(granularity: Plant['granularity'], seed: number): Surge {
  const isSession = granularity === 'session'
  const [onsetS, endS] = isSession ? [60, 150] : [40, 100]
  const saturation = isSession ? CAPACITY / PAGES : CAPACITY
  const arrivals = poisson(steps({ 0: saturation / 2, [onsetS]: SURGE * saturation }))
  const learner = new Watched()
  const plant = isSession ? sessionPlant(arrivals) : plantR({ arrivals })
  const { trace } = runPlant({ plant, seed, seconds: endS, learner: () => learner })
  const { targetMs } = plant.sla
  const common = { granularity, onsetS, endS, targetMs, capacity: CAPACITY, saturation }
  return { ...common, trace, steps: learner.steps }
}

/** The same origin for sessions of five pages in the mean, with two seconds between them. */
function sessionPlant(arrivals: ReturnType<typeof poisson>): Plant {
  const { sla, origin } = plantR()
  return {
    granularity: 'session',
    sla,
    origin,
    clients: sessions({
      arrivals,
      phases: new Phases({ page: { tier: 0, next: { page: 1 - 1 / PAGES } } }),
      demands: [exponential({ mean: 40 })],
      think: exponential({ mean: THINK_MS }),
      patience: deterministic({ value: 2000 }),
    }),
  }
}

/** Keeps what the learner was told, decided and knew. */
class Watched implements Learner<SocLqrState> {
  readonly #learner = new SocLqrLearner()
  readonly steps: SurgeStep[] = []
  #ms = 0

  get state(): SocLqrState {
    return this.#learner.state
  }

  update(sample: Sample): Decision {
    const before = this.state
    const decision = this.#learner.update(sample)
    const { state } = this
    this.#ms += sample.lengthMs
    const verdict = verdictOf(before, state, sample)
    this.steps.push({ second: this.#ms / 1000, sample, decision, state, verdict })
    return decision
  }
}

/** The learner keeps what follows from a verdict, not the verdict. So it is judged again from the same figures. */
function verdictOf(before: SocLqrState, after: SocLqrState, sample: Sample): Assessment | null {
  const tick = tickOf(sample)
  const interval = addTick(before.interval, tick)
  const isKnown = before.capacity.rate !== null
  if (after.interval.seconds > 0 || !isFull(interval, tick, isKnown)) return null
  const tiers = addToTiers(before.tiers, sample.tiers)
  return judge({ ...before, interval, tiers }, sample.tiers).verdict
}
