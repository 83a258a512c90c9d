import type { Measured } from '../gate/measures.ts'
import type { Clairvoyants, Reached } from './clairvoyants.ts'

/** What one world says of a policy. */
export interface WorldResult {
  readonly world: string
  readonly policy: string
  /** Value answered within the target, as a share of the constant clairvoyant's; at most 1. */
  readonly share: number
  /** The same without the cut, and against the clairvoyant whose load varies. */
  readonly uncut: number
  readonly ofVarying: number
  /** Part of the SLA windows missed beyond the constant clairvoyant's own part; at least 0. */
  readonly violations: number
  readonly score: number
}

export function resultOf(
  world: string,
  policy: string,
  run: Pick<Measured, keyof Reached>,
  { constant, varying }: Pick<Clairvoyants, 'constant' | 'varying'>,
): WorldResult {
  const uncut = partOf(run.inSlaValue, constant.inSlaValue)
  const share = Math.min(1, uncut)
  const violations = Math.max(0, missedPart(run) - missedPart(constant))
  return {
    world,
    policy,
    share,
    uncut,
    ofVarying: partOf(run.inSlaValue, varying.inSlaValue),
    violations,
    score: share * (1 - violations),
  }
}

/** Where a clairvoyant reaches nothing, nobody can fall behind. */
function partOf(value: number, clairvoyant: number): number {
  return clairvoyant === 0 ? 1 : value / clairvoyant
}

function missedPart({ windows, windowsMissed }: Reached): number {
  return windows === 0 ? 0 : windowsMissed / windows
}

/** What all worlds say of a policy together. */
export interface Summary {
  readonly worlds: number
  readonly share: number
  /** A tenth of the worlds are at this share or below. */
  readonly tenth: number
  readonly worst: number
  readonly worstWorld: string
  readonly violations: number
  readonly score: number
  readonly ofVarying: number
}

export function summaryOf(results: readonly WorldResult[]): Summary {
  const byShare = results.toSorted((a, b) => a.share - b.share)
  const mean = (pick: (result: WorldResult) => number) =>
    results.reduce((sum, result) => sum + pick(result), 0) / results.length
  return {
    worlds: results.length,
    share: mean(({ share }) => share),
    tenth: byShare[Math.ceil(results.length / 10) - 1]!.share,
    worst: byShare[0]!.share,
    worstWorld: byShare[0]!.world,
    violations: mean(({ violations }) => violations),
    score: mean(({ score }) => score),
    ofVarying: mean(({ ofVarying }) => ofVarying),
  }
}
