import { letAllIn } from '../../lab/gate/policy.ts'
import { type RunResult, runPlant } from '../../lab/gate/run-plant.ts'
import { createLearner } from '../../src/learners/registry.ts'
import type { Course } from './courses.ts'

export interface Trial {
  readonly course: Course
  readonly run: RunResult
  /** Requests answered within the target, as a share of the clairvoyant policy's. */
  readonly inSurge: number
  readonly afterLoss: number
  /** The fraction of ended sessions whose visitor left; NaN if there are none. */
  readonly abandoned: number
}

export interface Choice {
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
}

/** Runs learners on the same arrivals and compares them with a clairvoyant policy, which knows the origin. */
export class Trials {
  readonly #course: Course
  readonly #seed: number
  readonly #clairvoyant: RunResult

  constructor(course: Course, seed: number) {
    this.#course = course
    this.#seed = seed
    this.#clairvoyant = this.#run({ policy: course.clairvoyant })
  }

  ofLearner(choice: Choice): Trial {
    return this.#compare(this.#run({ learner: () => createLearner(choice).learner }))
  }

  ofNobodyRefused(): Trial {
    return this.#compare(this.#run({ policy: letAllIn }))
  }

  ofClairvoyant(): Trial {
    return this.#compare(this.#clairvoyant)
  }

  #compare(run: RunResult): Trial {
    const course = this.#course
    const share = (fromS: number, toS: number): number =>
      inTime(run, fromS, toS) / inTime(this.#clairvoyant, fromS, toS)
    const { completed, abandoned, broken } = run.sessions
    return {
      course,
      run,
      inSurge: share(course.surgeS, course.lossS),
      afterLoss: share(course.lossS, course.endS),
      abandoned: abandoned / (completed + abandoned + broken),
    }
  }

  #run(ruling: Pick<Parameters<typeof runPlant>[0], 'policy' | 'learner'>): RunResult {
    const { plant, surgeS, endS } = this.#course
    const seed = this.#seed
    return runPlant({ plant, seed, seconds: endS, measureFromSeconds: surgeS, ...ruling })
  }
}

function inTime({ trace }: RunResult, fromS: number, toS: number): number {
  let count = 0
  for (const { atMs, sample } of trace) {
    if (atMs <= 1000 * fromS || atMs > 1000 * toS) continue
    for (const { completed, late } of sample.tiers) count += completed - late
  }
  return count
}
