import * as v from 'valibot'
import { isPlainObject, nearest, quote } from '../errors/wording.ts'
import { type Complaint, complaintOf, says } from './explain.ts'

/**
 * Objects, records and alternatives with exact error texts. Each is a `v.lazy` that builds the schema for the
 * input at hand: only then are the unknown keys known, and which of several forms the user means. For
 * `undefined`, which is what the JSON Schema is made from, it is the general schema.
 */

type AnySchema = v.GenericSchema<unknown, unknown>
type SchemaLike<T extends AnySchema> = v.GenericSchema<v.InferInput<T>, v.InferOutput<T>>
type Fixed<Entries extends v.ObjectEntries> = v.StrictObjectSchema<Entries, undefined>
/** No key of the output has the value `undefined`. */
type ObjectLike<
  Entries extends v.ObjectEntries,
  Output = v.InferOutput<Fixed<Entries>>,
> = v.GenericSchema<
  v.InferInput<Fixed<Entries>>,
  { [Key in keyof Output]: Exclude<Output[Key], undefined> }
>

/** A key of an object: its description in the JSON Schema, its schema, and what becomes of its value. */
export function key<Schema extends AnySchema>(text: string, schema: Schema): Schema
export function key<Schema extends AnySchema, Result>(
  text: string,
  schema: Schema,
  resolve: (value: v.InferOutput<Schema>) => Result,
): v.GenericSchema<v.InferInput<Schema>, Result>
export function key(text: string, schema: AnySchema, resolve?: (value: never) => unknown) {
  const described = v.pipe(schema, v.description(text))
  return resolve === undefined
    ? described
    : v.pipe(described, v.transform(resolve as () => unknown))
}

/** An object with these keys and no others. An `open` one takes any other key as it is. */
export function object<const Entries extends v.ObjectEntries>(
  title: string,
  complaint: Complaint,
  entries: Entries,
  { open = false } = {},
): ObjectLike<Entries> {
  const known = Object.keys(entries)
  const message = says((issue) => {
    const missing = issue.path?.[0]?.key as string | undefined
    if (missing === undefined) return complaint
    const [first] = v.safeParse(entries[missing]!, undefined).issues!
    return complaintOf(first)
  })
  const general = open ? v.looseObject(entries, message) : v.strictObject(entries, message)
  const schema = v.lazy((input): AnySchema => {
    if (input === undefined) return general
    if (!isPlainObject(input)) return v.never(message)
    const own = Object.entries(entries).filter(([name, entry]) => !isLeftOut(input[name], entry))
    const unknown = Object.keys(input)
      .filter((name) => (open ? RESERVED.has(name) : !known.includes(name)))
      .filter((name) => input[name] !== undefined)
      .map((name) => [name, refused(unknownKey(name, known))])
    const all = Object.fromEntries([...own, ...unknown])
    return open ? v.looseObject(all, message) : v.object(all, message)
  })
  return v.pipe(schema, v.title(title)) as unknown as ObjectLike<Entries>
}

/** `undefined` is the same as no key at all. */
const isLeftOut = (value: unknown, schema: AnySchema): boolean =>
  value === undefined && schema.type === 'optional' && v.getDefault(schema) === undefined

/** These names have a meaning of their own in JavaScript objects. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype'])

/** Always fails. It drops the value first, so that `__proto__` never sets the prototype of the output. */
const refused = (complaint: Complaint): AnySchema =>
  v.pipe(
    v.unknown(),
    v.transform(() => undefined),
    v.never(says(complaint)),
  )

function unknownKey(name: string, known: readonly string[]): Complaint {
  const meant = nearest(name, known)
  const remedy =
    meant === null ? `Known keys here: ${known.join(', ')}.` : `Did you mean "${meant}"?`
  return { expected: 'a known key', remedy, found: quote(name) }
}

/** Any names, each with a value of one kind. Names that `fold` makes equal are the same name. */
export function record<Value extends AnySchema>(
  value: Value,
  complaint: Complaint,
  nameComplaint: (name: string) => Complaint | null,
  fold: (name: string) => string = (name) => name,
) {
  const general = v.record(v.string(), value, says(complaint))
  return v.lazy((input): SchemaLike<typeof general> => {
    if (input === undefined) return general
    if (!isPlainObject(input)) return v.never(says(complaint))
    const names = Object.keys(input)
    const schemaOf = (name: string, i: number): AnySchema => {
      if (RESERVED.has(name)) return refused(RESERVED_NAME)
      const wrong = nameComplaint(name)
      if (wrong !== null) return refused(wrong)
      const isSecond = names.slice(0, i).some((other) => fold(other) === fold(name))
      return isSecond ? refused(NAMED_TWICE) : value
    }
    const entries = Object.fromEntries(names.map((name, i) => [name, schemaOf(name, i)]))
    return v.object(entries) as unknown as typeof general
  })
}

const RESERVED_NAME: Complaint = {
  expected: 'another name',
  remedy: 'Leave it out: JavaScript reserves this name.',
  found: 'this one',
}
const NAMED_TWICE: Complaint = {
  expected: 'each name once',
  remedy: 'Write all its values as one list.',
  found: 'this one a second time (upper and lower case are the same)',
}

/** One of several forms. `pick` tells which one the user means (-1: none), so that errors are about that form. */
export function choice<const Options extends v.UnionOptions>(
  options: Options,
  complaint: Complaint,
  pick: (input: unknown) => number,
) {
  const general = v.union(options, says(complaint))
  return v.lazy((input): SchemaLike<typeof general> => {
    if (input === undefined) return general
    return (options[pick(input)] ?? v.never(says(complaint))) as SchemaLike<typeof general>
  })
}
