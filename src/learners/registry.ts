import { aimd } from './aimd/learner.ts'
import { fixed } from './fixed.ts'
import type { LearnerKind } from './kind.ts'
import type { Learner } from './learner.ts'
import { lqr } from './lqr/learner.ts'
import { pac } from './pac.ts'
import { soc } from './soc/learner.ts'
import { socLqr } from './soc-lqr/learner.ts'
import { tbac } from './tbac.ts'

export type { LearnerKind } from './kind.ts'
export { LEARNER_OPTIONS } from './option-tables.ts'

export const LEARNERS = {
  fixed,
  aimd,
  tbac,
  pac,
  lqr,
  soc,
  'soc-lqr': socLqr,
} as const satisfies Readonly<Record<string, LearnerKind>>

export type LearnerName = keyof typeof LEARNERS

export interface Created {
  readonly learner: Learner
  /** True when nothing of the state was used. */
  readonly fresh: boolean
  /** Why the state given was not used; null when it was, or when there was none. */
  readonly note: string | null
}

/** A learner that goes on from its stored state; a state that is unknown or damaged starts it afresh. */
export function createLearner(
  choice: { readonly name: string; readonly options: Readonly<Record<string, unknown>> },
  state?: unknown,
): Created {
  if (!Object.hasOwn(LEARNERS, choice.name)) {
    throw new RangeError(
      `learner.name: expected one of ${Object.keys(LEARNERS).join(', ')}, got "${choice.name}".`,
    )
  }
  const kind: LearnerKind = LEARNERS[choice.name as LearnerName]
  if (state === undefined || state === null) {
    return { learner: kind.create(choice.options), fresh: true, note: null }
  }
  if (kind.accepts(choice.options, state)) {
    return { learner: kind.create(choice.options, state), fresh: false, note: null }
  }
  const note = `The stored state is not one of ${choice.name} with these options: it starts afresh.`
  return { learner: kind.create(choice.options), fresh: true, note }
}
