import type { OptionTable } from '../lib/option-table.ts'
import type { Learner } from './learner-interface.ts'

/** An entry of the registry. */
export interface LearnerKind {
  /** What it does, in one sentence. */
  readonly text: string
  readonly options: OptionTable
  /** Can a learner with these options continue from this state? */
  accepts(options: Readonly<Record<string, unknown>>, state: unknown): boolean
  /** A state that `accepts` refuses is ignored: the learner starts from scratch. */
  create(options: Readonly<Record<string, unknown>>, state?: unknown): Learner
}
