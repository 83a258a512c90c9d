import * as v from 'valibot'
import { type Complaint, complaintText, says } from '../errors/complaint.ts'
import { listOf, nearest } from '../errors/wording.ts'
import { choice } from './objects.ts'
import { type NumberRange, numberRemedy, rangeText } from './range.ts'

/** The kinds of values that keys have: numbers in a range, words of a set, texts of a form, one or many. */

type Closed = NumberRange & { readonly min: number; readonly max: number }

export function requiredNumber(range: Closed, example: number) {
  return numberSchema(range, `Write for example ${example}.`)
}

export function number(range: Closed, standard: number) {
  return v.optional(numberSchema(range, `Leave it out for ${standard}.`), standard)
}

function numberSchema(range: Closed, otherwise: string) {
  const message = says(rangeText(range), (input) => numberRemedy(input, range, otherwise))
  const { min, max } = range
  const ends = v.pipe(v.number(message), v.minValue(min, message), v.maxValue(max, message))
  return range.whole ? v.pipe(ends, v.integer(message)) : ends
}

export function oneOf<const Options extends readonly (string | number)[]>(
  options: Options,
  standard: Options[number],
) {
  return v.optional(
    words(options, `Leave it out for ${JSON.stringify(standard)}.`),
    standard as never,
  )
}

/** One of these, and the nearest of them when it is misspelt. */
export function words<const Options extends readonly (string | number)[]>(
  options: Options,
  otherwise: string,
  expected = listOf(
    options.map((option) => JSON.stringify(option)),
    'or',
  ),
) {
  return v.picklist(
    options,
    says(expected, (input) => {
      const meant = typeof input === 'string' ? nearest(input, options.map(String)) : null
      const option = options.find((one) => String(one) === meant)
      return option === undefined ? otherwise : `Write ${JSON.stringify(option)}.`
    }),
  )
}

/** A text that `complaintOf` has nothing against. */
export function text(
  expected: string,
  remedy: string,
  complaintOf: (text: string) => Complaint | null,
) {
  return v.pipe(
    v.string(says(expected, remedy)),
    v.check(
      (input) => complaintOf(input) === null,
      ({ input }) => complaintText(complaintOf(input) ?? { expected, remedy }),
    ),
  )
}

/** A single value, or a list of at least one. */
export function oneOrMany<Item extends v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>>(
  item: Item,
) {
  const message = says('at least one value', 'Leave the key out for no condition.')
  const list = v.pipe(v.array(item), v.minLength(1, message))
  return choice([item, list], (input) => (Array.isArray(input) ? 1 : 0), message)
}
