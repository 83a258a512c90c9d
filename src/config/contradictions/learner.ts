import type { Option, OptionTable } from '../../lib/option-table.ts'
import type { LearnerChoice } from '../config.ts'
import type { Fault, Path } from '../errors/problem.ts'
import { found, listOf, nearest, quote } from '../errors/wording.ts'
import { inRange, numberRemedy, rangeText } from '../schema/range.ts'
import { outOfOrder } from './min-max.ts'

export type LearnerTables = Readonly<Record<string, OptionTable>>

/** The learner is known, and so are its options and their ranges; no minimum is above its maximum. */
export function checkLearner(
  { name, options }: LearnerChoice,
  path: Path,
  learners: LearnerTables,
  isGiven: (path: Path) => boolean,
): Fault[] {
  if (!Object.hasOwn(learners, name)) return [unknownLearner(name, path, learners, isGiven)]
  const table = learners[name]!
  const faults = Object.entries(options).flatMap(([key, value]) => {
    const at = [...path, key]
    if (!Object.hasOwn(table, key)) return [unknownOption(name, key, at, table)]
    return fits(table[key]!, value) ? [] : [optionFault(table[key]!, value, at)]
  })
  return [...faults, ...unorderedOptions(table, options, path, isGiven)]
}

function unknownLearner(
  name: string,
  path: Path,
  learners: LearnerTables,
  isGiven: (path: Path) => boolean,
): Fault {
  const known = Object.keys(learners)
  const meant = nearest(name, known)
  return {
    path: isGiven([...path, 'name']) ? [...path, 'name'] : path,
    expected: `a learner: ${listOf(known.map(quote), 'or') || 'there is none'}`,
    found: isGiven(path) ? found(name) : `${quote(name)}, the default`,
    remedy: meant === null ? 'Write one of them.' : `Write ${quote(meant)}.`,
  }
}

function unknownOption(name: string, key: string, path: Path, table: OptionTable): Fault {
  const known = Object.keys(table)
  const meant = nearest(key, known)
  const all = known.length === 0 ? 'It has none.' : `Its options: ${known.join(', ')}.`
  return {
    path,
    expected: `an option of the learner ${quote(name)}`,
    found: quote(key),
    remedy: meant === null ? all : `Did you mean "${meant}"?`,
  }
}

function fits(option: Option, value: unknown): boolean {
  return option.kind === 'boolean'
    ? typeof value === 'boolean'
    : typeof value === 'number' && inRange(value, option)
}

function optionFault(option: Option, value: unknown, path: Path): Fault {
  const otherwise = `Leave it out for ${option.default}.`
  return {
    path,
    expected: option.kind === 'boolean' ? 'true or false' : rangeText(option),
    found: found(value),
    remedy: option.kind === 'boolean' ? otherwise : numberRemedy(value, option, otherwise),
  }
}

/** `min` and `max`, `minRate` and `maxRate`, `low` and `high`, …: pairs by name. */
const UPPER_OF: Readonly<Record<string, string>> = { min: 'max', low: 'high', floor: 'ceiling' }

function unorderedOptions(
  table: OptionTable,
  given: Readonly<Record<string, unknown>>,
  path: Path,
  isGiven: (path: Path) => boolean,
): Fault[] {
  // Beside a misspelt option a default is no more than a guess at what the user wants.
  const isGuessing = Object.keys(given).some((key) => !Object.hasOwn(table, key))
  const soundValue = (key: string): unknown => {
    if (Object.hasOwn(given, key)) return fits(table[key]!, given[key]) ? given[key] : undefined
    return isGuessing ? undefined : table[key]!.default
  }
  return Object.keys(table).flatMap((low) => {
    const high = low.replace(/^(min|low|floor)(?![a-z])/, (start) => UPPER_OF[start]!)
    if (high === low || !Object.hasOwn(table, high)) return []
    const [lowValue, highValue] = [soundValue(low), soundValue(high)]
    if (typeof lowValue !== 'number' || typeof highValue !== 'number') return []
    return outOfOrder({ low: [low], high: [high], lowValue, highValue }, path, isGiven)
  })
}
