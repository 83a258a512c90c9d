import type { Form, Measurement, Point } from '../experiments/experiment.ts'
import type { Measured } from '../gate/measures.ts'
import type { State } from '../scenario-file/best.ts'
import type { Content } from '../scenario-file/contest.ts'
import type { BestLoads } from '../tournament/best-load-table.ts'
import type { LearnerOptions } from '../tournament/policies.ts'
import type { Clairvoyants } from '../worlds/clairvoyants.ts'
import type { WorldBest } from '../worlds/contest.ts'
import type { Constant } from './other-constant.ts'

/**
 * One run, described by names and plain values only, so that it can be sent to any worker thread.
 */
export type Job =
  | ContestJob
  | FileJob
  | BestLoadJob
  | CalibrationJob
  | ExperimentJob
  | WorldClairvoyantsJob
  | WorldJob

export interface ContestJob {
  readonly kind: 'contest'
  readonly contest: string
  readonly policy: string
  readonly seed: number
}

/** The same for a user's scenario. */
export interface FileJob {
  readonly kind: 'file'
  readonly content: Content
  readonly policy: string
  readonly seed: number
}

/** Finds the load that the clairvoyant of such a scenario keeps. */
interface BestLoadJob {
  readonly kind: 'best-load'
  readonly content: Content
  readonly state: State
}

/** The same for a scenario of the tournament, by the name of its calibration. */
interface CalibrationJob {
  readonly kind: 'calibration'
  readonly name: string
}

export interface ExperimentJob {
  readonly kind: 'experiment'
  readonly experiment: string
  readonly point: Point
  readonly policy: string
  readonly seed: number
  readonly form: Form
}

/** What the clairvoyants of a random world hold and reach. */
export interface WorldClairvoyantsJob {
  readonly kind: 'world-clairvoyants'
  readonly seed: number
  readonly index: number
}

/** A policy in a random world; the best loads are its clairvoyant's. */
export interface WorldJob {
  readonly kind: 'world'
  readonly seed: number
  readonly index: number
  readonly policy: string
  /** Of a learner. @default none */
  readonly options?: LearnerOptions
  /** Of soc-lqr, with another value. @default as it is */
  readonly constant?: Constant
  readonly best: WorldBest
  /** Behind a single isolate without faults, instead of the world's own edge. */
  readonly oneIsolate: boolean
}

export interface Outputs {
  readonly contest: Measured
  readonly file: Measured
  readonly 'best-load': number
  readonly calibration: BestLoads
  readonly experiment: Measurement
  readonly 'world-clairvoyants': Clairvoyants
  readonly world: Measured
}

export type OutputOf<Kind extends Job> = Outputs[Kind['kind']]
