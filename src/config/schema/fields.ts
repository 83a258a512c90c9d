import * as v from 'valibot'
import { listOf, nearest } from '../errors/wording.ts'
import { type Complaint, complaint, says } from './explain.ts'
import { choice } from './objects.ts'
import { type NumberRange, numberRemedy, rangeText } from './range.ts'
import { NAME_FORM, nameComplaint } from './text-formats.ts'

/** The kinds of values: a number in a range, one of several words, a text of some format, one or many. */

type Closed = NumberRange & { readonly min: number; readonly max: number }

export function requiredNumber(range: Closed, example: number) {
  return numberSchema(range, `Write for example ${example}.`)
}

export function number(
  range: Closed,
  standard: number,
  otherwise = `Leave it out for ${standard}.`,
) {
  return v.optional(numberSchema(range, otherwise), standard)
}

function numberSchema(range: Closed, otherwise: string) {
  const message = says(({ input }) => ({
    expected: rangeText(range),
    remedy: numberRemedy(input, range, otherwise),
  }))
  const { min, max } = range
  const ends = v.pipe(v.number(message), v.minValue(min, message), v.maxValue(max, message))
  return range.whole ? v.pipe(ends, v.integer(message)) : ends
}

export function flag(standard: boolean) {
  const remedy = `Leave it out for ${standard}.`
  return v.optional(v.boolean(says({ expected: 'true or false', remedy })), standard)
}

/** A key that must not be written, because of another key beside it. */
export const forbidden = (expected: string, remedy: string) =>
  v.optional(v.never(says({ expected, remedy })))

export function oneOf<const Options extends readonly (string | number)[]>(
  options: Options,
  standard: Options[number],
) {
  const schema = words(options, `Leave it out for ${JSON.stringify(standard)}.`)
  return v.optional(schema, standard as never)
}

/** One of these words. The error text suggests the nearest one. */
export function words<const Options extends readonly (string | number)[]>(
  options: Options,
  otherwise: string,
  expected = listOf(
    options.map((option) => JSON.stringify(option)),
    'or',
  ),
) {
  const message = says(({ input }) => {
    const meant = typeof input === 'string' ? nearest(input, options.map(String)) : null
    const option = options.find((one) => String(one) === meant)
    const remedy = option === undefined ? otherwise : `Write ${JSON.stringify(option)}.`
    return { expected, remedy }
  })
  return v.picklist(options, message)
}

/** A text; `check` tells what is wrong with its format, or null. */
export function text(
  noText: Complaint | ((issue: { readonly input: unknown }) => Complaint),
  check: (text: string) => Complaint | null,
) {
  return v.pipe(
    v.string(says(noText)),
    v.rawCheck(({ dataset, addIssue }) => {
      const wrong = dataset.typed ? check(dataset.value) : null
      if (wrong !== null) addIssue({ message: says(wrong) })
    }),
  )
}

export const name = (example: string) =>
  text(complaint(NAME_FORM, `Write for example "${example}".`), nameComplaint)

/** A list of at least one item. */
export function listOfSome<Item extends v.GenericSchema<unknown, unknown>>(
  item: Item,
  about: Complaint,
  least = 1,
) {
  return v.pipe(v.array(item, says(about)), v.minLength(least, says(about)))
}

/** A single value, or a list of at least one. */
export function oneOrMany<Item extends v.GenericSchema<unknown, unknown>>(item: Item) {
  const none = complaint('at least one value', 'Leave the key out for no condition.')
  return choice([item, listOfSome(item, none)], none, (input) => (Array.isArray(input) ? 1 : 0))
}

export function list<T extends string | number | true>(value: T | readonly T[]): readonly T[] {
  return typeof value === 'object' ? value : [value]
}
