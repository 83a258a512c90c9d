import type { Option, OptionTable } from '../../lib/option-table.ts'
import { type Fault, fault } from '../errors/problem.ts'
import { found, listOf, nearest, quote } from '../errors/wording.ts'
import { inRange, numberRemedy, rangeText } from '../schema/range.ts'
import type { ParsedRoute } from '../schema/schema.ts'
import type { CheckContext } from './checks.ts'
import { checkOrder } from './min-max.ts'

/** The learner and its options exist, the options are in range, and no minimum is above its maximum. */
export function* checkLearner(route: ParsedRoute, context: CheckContext): Iterable<Fault> {
  const { name, options } = route.learner
  const { learners } = context
  if (!Object.hasOwn(learners, name)) {
    yield unknownLearner(name, context)
    return
  }
  const table = learners[name]!
  for (const [key, value] of Object.entries(options)) {
    if (!Object.hasOwn(table, key)) yield unknownOption(name, key, table)
    else if (!fits(table[key]!, value)) yield badOption(key, table[key]!, value)
  }
  yield* checkOptionOrder(table, options, context)
}

function unknownLearner(name: string, { learners, isGiven }: CheckContext): Fault {
  const known = Object.keys(learners)
  const meant = nearest(name, known)
  return fault(
    isGiven('learner', 'name') ? ['learner', 'name'] : ['learner'],
    `a learner: ${listOf(known.map(quote), 'or') || 'there is none'}`,
    isGiven('learner') ? found(name) : `${quote(name)}, the default`,
    meant === null ? 'Write one of them.' : `Write ${quote(meant)}.`,
  )
}

function unknownOption(name: string, key: string, table: OptionTable): Fault {
  const known = Object.keys(table)
  const meant = nearest(key, known)
  const all = known.length === 0 ? 'It has none.' : `Its options: ${known.join(', ')}.`
  return fault(
    ['learner', key],
    `an option of the learner ${quote(name)}`,
    quote(key),
    meant === null ? all : `Did you mean "${meant}"?`,
  )
}

function fits(option: Option, value: unknown): boolean {
  return option.kind === 'boolean'
    ? typeof value === 'boolean'
    : typeof value === 'number' && inRange(value, option)
}

function badOption(key: string, option: Option, value: unknown): Fault {
  const otherwise = `Leave it out for ${option.default}.`
  const isFlag = option.kind === 'boolean'
  return fault(
    ['learner', key],
    isFlag ? 'true or false' : rangeText(option),
    found(value),
    isFlag ? otherwise : numberRemedy(value, option, otherwise),
  )
}

/** Pairs of options by name: `min` and `max`, `minRate` and `maxRate`, `low` and `high`, … */
const UPPER_OF: Readonly<Record<string, string>> = { min: 'max', low: 'high', floor: 'ceiling' }

function* checkOptionOrder(
  table: OptionTable,
  given: Readonly<Record<string, unknown>>,
  { isGiven }: CheckContext,
): Iterable<Fault> {
  // A misspelt option may be one of the pair, so the default is then no safe guess.
  const hasUnknown = Object.keys(given).some((key) => !Object.hasOwn(table, key))
  const numberOf = (key: string): number | null => {
    const value = given[key] ?? (hasUnknown ? null : table[key]!.default)
    return typeof value === 'number' && fits(table[key]!, value) ? value : null
  }
  for (const low of Object.keys(table)) {
    const high = low.replace(/^(min|low|floor)(?![a-z])/, (start) => UPPER_OF[start]!)
    if (high === low || !Object.hasOwn(table, high)) continue
    const [lowValue, highValue] = [numberOf(low), numberOf(high)]
    if (lowValue === null || highValue === null) continue
    yield* checkOrder([low], lowValue, [high], highValue, isGiven, ['learner'])
  }
}
