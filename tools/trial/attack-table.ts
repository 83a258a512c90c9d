import { alignRows } from './align-rows.ts'
import type { TrialResult } from './run.ts'
import type { SecondCounts } from './second-counts.ts'

/** What the crowd got before, during and after an attack, per second. */
export interface AttackPhases {
  readonly before: PhaseRates
  readonly during: PhaseRates
  readonly after: PhaseRates
  /** Requests that the attacker sent. */
  readonly sent: number
}

interface PhaseRates {
  readonly inTime: number
  readonly late: number
}

/** Pages in time during an attack must stay above this part of those before. */
const KEPT = 0.9

export function phasesOf(
  bySecond: readonly SecondCounts[],
  { fromS, toS }: { readonly fromS: number; readonly toS: number },
  settledS: number,
  sent: number,
): AttackPhases {
  const rates = (from: number, to: number): PhaseRates => {
    const seconds = bySecond.slice(Math.round(from), Math.round(to))
    const mean = (of: (second: SecondCounts) => number): number =>
      seconds.reduce((sum, second) => sum + of(second), 0) / Math.max(1, seconds.length)
    return {
      inTime: mean(({ inSla }) => inSla),
      late: mean(({ late, abandoned, failed }) => late + abandoned + failed),
    }
  }
  const end = bySecond.length
  return { before: rates(settledS, fromS), during: rates(fromS, toS), after: rates(toS, end), sent }
}

export function renderAttacks(results: readonly TrialResult[]): string {
  const attacked = results.flatMap((result) =>
    result.attack === null ? [] : [{ ...result, phases: result.attack }],
  )
  if (attacked.length === 0) return ''
  const cell = ({ inTime, late }: PhaseRates): string => `${inTime.toFixed(1)} (${late.toFixed(1)})`
  const rows = attacked.map(({ name, phases: { before, during, after, sent } }) => {
    const kept = before.inTime > 0 ? during.inTime / before.inTime : 0
    const word = kept >= KEPT ? 'kept' : 'lost'
    return [name, String(sent), cell(before), cell(during), cell(after), kept.toFixed(2), word]
  })
  return [
    ...alignRows([['', 'sent', 'before', 'during', 'after', 'during/before', ''], ...rows]),
    '',
    `Pages in time per second before, during and after the attack; in brackets those that were late, failed or given up.
kept: at least ${KEPT} of the pages in time before the attack.`,
  ].join('\n')
}
