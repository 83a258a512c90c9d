import type { OptionTable } from '../../src/lib/option-table.ts'
import { table } from '../report/table.ts'
import { type Summary, summaryOf, type WorldResult } from './result.ts'

/** One option of a learner with another value than its default. */
export interface Change {
  readonly option: string
  readonly value: number
}

/** Half and double of each number, within its bounds. A bound that is the default itself leaves nothing to try. */
export function changesOf(options: OptionTable, names: readonly string[]): readonly Change[] {
  return names.flatMap((option) => {
    const row = options[option]
    if (row?.kind !== 'number') return []
    const { min = -Infinity, max = Infinity, above = -Infinity, below = Infinity } = row
    return [row.default / 2, row.default * 2]
      .map((value) => Math.min(max, Math.max(min, value)))
      .filter((value) => value !== row.default && value > above && value < below)
      .map((value) => ({ option, value }))
  })
}

/** What all worlds say of a change. */
export interface Effect extends Change, Pick<Summary, 'share' | 'violations' | 'score'> {
  /** Score less that of the defaults, and the standard error of this difference, world by world. */
  readonly difference: number
  readonly error: number
}

/** The results of a change are in the order of the worlds, as those of the defaults. */
export function effectOf(
  change: Change,
  results: readonly WorldResult[],
  defaults: readonly WorldResult[],
): Effect {
  const { share, violations, score } = summaryOf(results)
  const differences = results.map((result, i) => result.score - defaults[i]!.score)
  const count = differences.length
  const difference = differences.reduce((sum, one) => sum + one, 0) / count
  const squares = differences.reduce((sum, one) => sum + (one - difference) ** 2, 0)
  const error = Math.sqrt(squares / Math.max(1, count - 1) / count)
  return { ...change, share, violations, score, difference, error }
}

/** The option whose worse or better half moves the score most comes first. */
export function byInfluence(effects: readonly Effect[]): readonly Effect[] {
  const influence = new Map<string, number>()
  for (const { option, difference } of effects) {
    influence.set(option, Math.max(influence.get(option) ?? 0, Math.abs(difference)))
  }
  return effects.toSorted((a, b) => influence.get(b.option)! - influence.get(a.option)!)
}

export interface Sensitivity {
  readonly defaults: Pick<Summary, 'worlds' | 'share' | 'violations' | 'score'>
  readonly effects: readonly Effect[]
  /** Every change that was asked for has run in all worlds. */
  readonly complete: boolean
}

const fixed = (value: number): string => value.toFixed(3)
const signed = (value: number): string => `${value < 0 ? '−' : '+'}${fixed(Math.abs(value))}`

export function sensitivityText({ defaults, effects, complete }: Sensitivity): string {
  const heads = ['option', 'value', 'mean share', 'violations', 'score', 'difference', 'error']
  const figures = ({ share, violations, score }: Pick<Summary, 'share' | 'violations' | 'score'>) =>
    [share, violations, score].map(fixed)
  return [
    table(heads, [
      ['(defaults)', '', ...figures(defaults)],
      ...effects.map((effect) => [
        effect.option,
        String(effect.value),
        ...figures(effect),
        signed(effect.difference),
        fixed(effect.error),
      ]),
    ]),
    '',
    `${defaults.worlds} worlds. Difference: score less that of the defaults; error: its standard error, world by world.`,
    ...(complete ? [] : ['It was stopped before its end: these are the changes done by then.']),
  ].join('\n')
}
