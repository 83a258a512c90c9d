import type { OptionTable } from '../lib/option-table.ts'
import type { Learner } from './learner.ts'

/** What the registry knows of a learner. */
export interface LearnerKind {
  /** What it does, in one sentence. */
  readonly text: string
  readonly options: OptionTable
  /** Can a learner with these options go on from this state? */
  accepts(options: Readonly<Record<string, unknown>>, state: unknown): boolean
  /** A state that `accepts` refuses is left aside: the learner starts afresh. */
  create(options: Readonly<Record<string, unknown>>, state?: unknown): Learner
}
