import { aimd } from './aimd/kind.ts'
import { fixed } from './fixed/learner.ts'
import type { LearnerKind } from './kind.ts'
import type { Learner } from './learner-interface.ts'
import { lqr } from './lqr/learner.ts'
import { pac } from './pac/learner.ts'
import { soc } from './soc/learner.ts'
import { socLqr } from './soc-lqr/learner.ts'
import { tbac } from './tbac/learner.ts'

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

interface CreatedLearner {
  readonly learner: Learner
  /** Why the stored state was not used; null if it was used, or if there was none. */
  readonly note: string | null
}

/** A learner that continues from its stored state. If the state is unknown or damaged, it starts from scratch. */
export function createLearner(
  choice: { readonly name: string; readonly options: Readonly<Record<string, unknown>> },
  state?: unknown,
): CreatedLearner {
  if (!Object.hasOwn(LEARNERS, choice.name)) {
    throw new RangeError(
      `learner.name: expected one of ${Object.keys(LEARNERS).join(', ')}, got "${choice.name}".`,
    )
  }
  const kind: LearnerKind = LEARNERS[choice.name as keyof typeof LEARNERS]
  if (state === undefined || state === null) {
    return { learner: kind.create(choice.options), note: null }
  }
  if (kind.accepts(choice.options, state)) {
    return { learner: kind.create(choice.options, state), note: null }
  }
  const note = `Stored state does not fit learner ${choice.name} with these options; starting from scratch.`
  return { learner: kind.create(choice.options), note }
}
