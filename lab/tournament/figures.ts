import type { Measured } from '../gate/measures.ts'

/**
 * Results of one seed of a contest under a policy, compared with the clairvoyant on the same
 * visitors.
 */
export interface Figures {
  readonly share: number
  /** Share of the SLA windows that were missed, and the clairvoyant's own share. */
  readonly missed: number
  readonly clairvoyantMissed: number
  /** Combines share and violations: share × (1 − violations). */
  readonly score: number
  readonly recoverySeconds: number
  readonly refused: number
  /** Refused while there was room, as a share of all that asked. */
  readonly refusedWithRoom: number
  readonly variation: number
  /** Share of the admitted sessions that ended early: by a refusal, a failure or a long wait. */
  readonly brokenOff: number
}

export const FIGURES = [
  'share',
  'missed',
  'clairvoyantMissed',
  'score',
  'recoverySeconds',
  'refused',
  'refusedWithRoom',
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
    refusedWithRoom: run.offered === 0 ? 0 : run.refusedWithRoom / run.offered,
    variation: run.admittedVariation,
    brokenOff: sessions === 0 ? 0 : (abandoned + broken) / sessions,
  }
}

/** Without requests in any window nothing is missed. */
function missedPart({ windows, windowsMissed }: Measured): number {
  return windows === 0 ? 0 : windowsMissed / windows
}
