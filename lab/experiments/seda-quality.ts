import { TokenBucket } from '../../src/admission/token-bucket.ts'
import {
  FULL_QUALITY,
  type QualityFactor,
  qualityAfter,
} from '../../src/coordinator/quality/law.ts'
import { AimdLearner } from '../../src/learners/aimd/learner.ts'
import type { Sample } from '../../src/learners/learner-interface.ts'
import { quantileMs } from '../../src/lib/histogram.ts'
import { exponential } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import type { Policy, PolicyFactory, Setting } from '../gate/policy.ts'
import type { World } from '../origins/origin.ts'
import { station } from '../origins/station.ts'
import { users } from './seda-users.ts'

export const TARGET_MS = 5000
export const SPIKE_S = 60
export const END_S = 600
const USERS = 1000

/** A web server whose pages take `workMs` at full quality (Welsh and Culler 2003, §4.5). Work is in proportion to quality. */
export function pageService(workMs: number): Plant {
  return {
    granularity: 'request',
    sla: { percentile: 90, targetMs: TARGET_MS, windowMs: 60_000 },
    origin: station({ servers: 1 }),
    clients: users({
      groups: [
        { users: 3, class: 'type', fromMs: 0, overMs: 1000 },
        { users: USERS - 3, class: 'type', fromMs: SPIKE_S * 1000, overMs: 5000 },
      ],
      types: [{ part: 1, demand: exponential({ mean: workMs }) }],
    }),
  }
}

interface DegradeOptions {
  /** The lowest quality. */
  readonly min: number
  /** Admission control begins when quality is at its lowest and answers are still late (Fig. 13). */
  readonly admissionControl: boolean
}

/** The product's law of quality at a single gate, with SEDA's admission controller behind it. */
class DegradePolicy implements Policy {
  readonly #world: World
  readonly #setting: Setting
  readonly #options: DegradeOptions
  readonly #bucket = new TokenBucket(0)
  #learner: AimdLearner | null = null
  #factor: QualityFactor = FULL_QUALITY
  limit = Number.POSITIVE_INFINITY

  constructor(world: World, setting: Setting, options: DegradeOptions) {
    this.#world = world
    this.#setting = setting
    this.#options = options
  }

  admits(_class: number, nowMs: number): boolean {
    return this.#learner === null || this.#bucket.take(1, 0, nowMs)
  }

  sent(id: number): void {
    const { requests } = this.#world
    requests.demandMs[id] = requests.demandMs[id]! * this.#factor.quality
  }

  tick(sample: Sample, nowMs: number): void {
    const { percentile, targetMs } = this.#setting.sla
    const { latency, completed } = sample.tiers[0]!
    const measuredMs = completed > 0 ? quantileMs(latency, percentile / 100) : null
    const { min, admissionControl } = this.#options
    const moved = qualityAfter(this.#factor, measuredMs, targetMs, min, sample.inFlight === 0)
    // As in the product, quality does not rise while more is offered than the controller lets in.
    const isRefusing = this.#learner !== null && sample.offered.requests > this.limit
    this.#factor = isRefusing ? { ...moved, quality: min } : moved
    const { quality, currentMs } = this.#factor
    const isTooMuch = quality === min && (currentMs ?? 0) > targetMs
    if (quality > min) this.#learner = null
    else if (admissionControl && isTooMuch) this.#learner ??= new AimdLearner({})
    this.limit = this.#learner?.update(sample).limit ?? Number.POSITIVE_INFINITY
    if (this.#learner !== null && this.limit < Number.POSITIVE_INFINITY)
      this.#bucket.set(this.limit, 1, nowMs)
  }
}

export const degradeTo =
  (options: DegradeOptions): PolicyFactory =>
  (_view, setting, world) =>
    new DegradePolicy(world, setting, options)
