import type { Measured } from '../gate/measures.ts'

/** What one seed of a contest says of a policy, beside the clairvoyant who met the same visitors. */
export interface Figures {
  readonly share: number
  /** Part of the SLA windows that were missed, and the clairvoyant's own. */
  readonly missed: number
  readonly clairvoyantMissed: number
  /** Share and violations judged together: value counts only as far as the promise was kept. */
  readonly score: number
  readonly recoverySeconds: number
  readonly refused: number
  /** Refused while there was room, as a part of all who asked. */
  readonly refusedInVain: number
  readonly variation: number
  /** Part of the admitted sessions that ended before their time: by a refusal, a failure or a long wait. */
  readonly brokenOff: number
}

export const FIGURES = [
  'share',
  'missed',
  'clairvoyantMissed',
  'score',
  'recoverySeconds',
  'refused',
  'refusedInVain',
  'variation',
  'brokenOff',
] as const satisfies readonly (keyof Figures)[]

export function figuresOf(run: Measured, clairvoyant: Measured): Figures {
  const share = run.inSlaValue / clairvoyant.inSlaValue
  const missed = missedPart(run)
  const clairvoyantMissed = missedPart(clairvoyant)
  const { completed, abandoned, broken } = run.sessions
  const sessions = completed + abandoned + broken
  return {
    share,
    missed,
    clairvoyantMissed,
    score: share * (1 - Math.max(0, missed - clairvoyantMissed)),
    recoverySeconds: run.recoverySeconds,
    refused: run.offered === 0 ? 0 : run.refused / run.offered,
    refusedInVain: run.offered === 0 ? 0 : run.refusedWithRoom / run.offered,
    variation: run.admittedVariation,
    brokenOff: sessions === 0 ? 0 : (abandoned + broken) / sessions,
  }
}

/** Where no window had a request nothing was promised and nothing kept. */
function missedPart({ windows, windowsMissed }: Measured): number {
  return windows === 0 ? 0 : windowsMissed / windows
}
