import type { OptionTable } from '../../src/lib/option-table.ts'
import type { Constant } from '../jobs/other-constant.ts'
import { table } from '../report/table.ts'
import { type Summary, summaryOf, type WorldResult } from './result.ts'

/** A number of the learner with another value. */
export interface Change {
  /** `certainty`: an option. `capacity.CERTAIN`: a constant of the file `capacity.ts`. */
  readonly name: string
  readonly value: number
  /** Absent: it is an option. */
  readonly constant?: Constant
}

/** Of each number half and double, within the bounds of an option. */
export function changesOf(options: OptionTable, constants: readonly Constant[]): readonly Change[] {
  const ofOptions = Object.entries(options).flatMap(([name, row]): Change[] => {
    if (row.kind !== 'number') return []
    const { min = -Infinity, max = Infinity, above = -Infinity, below = Infinity } = row
    return otherValues(row.default)
      .map((value) => Math.min(max, Math.max(min, value)))
      .filter((value) => value !== row.default && value > above && value < below)
      .map((value) => ({ name, value }))
  })
  const ofConstants = constants.flatMap((constant) =>
    otherValues(constant.value).map((value): Change => {
      return { name: nameOf(constant), value, constant: { ...constant, value } }
    }),
  )
  return [...ofOptions, ...ofConstants]
}

export const nameOf = ({ file, name }: Constant): string => `${file.replace('.ts', '')}.${name}`

/**
 * Half and double. Of a factor between 1 and 2 that is said of what is beyond 1, and of a part above a half of what is
 * missing to the whole: twice 0.97 would be no part. What is counted stays a whole number.
 */
function otherValues(value: number): readonly number[] {
  if (Number.isInteger(value)) return value === 1 ? [0.5, 2] : [Math.ceil(value / 2), 2 * value]
  const exact =
    value > 1 && value < 2
      ? [1 + (value - 1) / 2, 1 + 2 * (value - 1)]
      : value > 0.5 && value < 1
        ? [1 - 2 * (1 - value), 1 - (1 - value) / 2].map((part) => Math.max(part, value / 2))
        : [value / 2, 2 * value]
  return exact.map((other) => Number(other.toPrecision(6)))
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

/** The number whose worse or better half moves the score most comes first. */
export function byInfluence(effects: readonly Effect[]): readonly Effect[] {
  const influence = new Map<string, number>()
  for (const { name, difference } of effects) {
    influence.set(name, Math.max(influence.get(name) ?? 0, Math.abs(difference)))
  }
  return effects.toSorted((a, b) => influence.get(b.name)! - influence.get(a.name)!)
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
  const heads = ['number', 'value', 'mean share', 'violations', 'score', 'difference', 'error']
  const figures = ({ share, violations, score }: Pick<Summary, 'share' | 'violations' | 'score'>) =>
    [share, violations, score].map(fixed)
  return [
    table(heads, [
      ['(defaults)', '', ...figures(defaults)],
      ...effects.map((effect) => [
        effect.name,
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
