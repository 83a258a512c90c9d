import * as v from 'valibot'
import { type Complaint, complaintText } from '../errors/complaint.ts'
import { isPlainObject, nearest, quote } from '../errors/wording.ts'

/**
 * Schemas of valibot whose `~run` is our own, where valibot's would let something pass that JSON cannot
 * say (a list or a Date for an object), stay silent (`__proto__`) or not tell which of several forms was
 * meant. Kind and entries stay valibot's, so that the JSON Schema is made from them as from any other.
 */
type AnySchema = v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>>
type Run = AnySchema['~run']
type Issues = [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]]

interface Collected {
  readonly value: Record<string, unknown>
  readonly issues: v.BaseIssue<unknown>[]
}

/** An object with these keys and no others; `open` ones take any further key as it is. */
export function object<const Entries extends v.ObjectEntries>(
  title: string,
  entries: Entries,
  message: (issue: v.BaseIssue<unknown>) => string,
  { open = false } = {},
): v.StrictObjectSchema<Entries, undefined> {
  const known = Object.keys(entries)
  const run: Run = (dataset, config) => {
    const input = dataset.value
    if (!isPlainObject(input)) return fail(base, dataset, config, message)
    const all: Collected = { value: {}, issues: [] }
    for (const [key, schema] of Object.entries(entries))
      collect(all, input, key, schema as AnySchema, config)
    for (const key of Object.keys(input)) {
      if (Object.hasOwn(entries, key) || input[key] === undefined) continue
      if (open && !UNUSABLE.has(key)) all.value[key] = input[key]
      else addIssue(all, base, input, key, config, unknownKey(key, known))
    }
    return outcome(all)
  }
  const base = v.strictObject(entries)
  const schema = { ...(open ? v.looseObject(entries) : base), '~run': run }
  return v.pipe(schema as AnySchema, v.title(title)) as unknown as typeof base
}

/** A name in these would reach an object's prototype instead of its own keys. */
const UNUSABLE = new Set(['__proto__', 'constructor', 'prototype'])

export const UNKNOWN_KEY = 'a known key'

function unknownKey(key: string, known: readonly string[]): Complaint {
  const meant = nearest(key, known)
  const remedy =
    meant === null ? `Known keys here: ${known.join(', ')}.` : `Did you mean "${meant}"?`
  return { expected: UNKNOWN_KEY, remedy, found: quote(key) }
}

/** Any names, each with a value of one kind; `fold` tells which names are the same. */
export function record<Value extends AnySchema>(
  value: Value,
  nameComplaint: (name: string) => Complaint | null,
  message: (issue: v.BaseIssue<unknown>) => string,
  fold: (name: string) => string = (name) => name,
): v.RecordSchema<v.StringSchema<undefined>, Value, undefined> {
  const base = v.record(v.string(), value)
  const run: Run = (dataset, config) => {
    const input = dataset.value
    if (!isPlainObject(input)) return fail(base, dataset, config, message)
    const all: Collected = { value: {}, issues: [] }
    const seen = new Set<string>()
    for (const name of Object.keys(input)) {
      const complaint = UNUSABLE.has(name) ? UNUSABLE_NAME : nameComplaint(name)
      if (complaint !== null) addIssue(all, base, input, name, config, complaint)
      else if (seen.has(fold(name))) addIssue(all, base, input, name, config, NAMED_TWICE)
      else collect(all, input, name, value, config)
      seen.add(fold(name))
    }
    return outcome(all)
  }
  return { ...base, '~run': run } as unknown as typeof base
}

const UNUSABLE_NAME: Complaint = {
  expected: 'another name',
  remedy: 'Leave it out: JavaScript keeps this name for itself.',
  found: 'this one',
}
const NAMED_TWICE: Complaint = {
  expected: 'each name once',
  remedy: 'Write all its values as one list.',
  found: 'this one a second time (upper and lower case are the same)',
}

/** One of several forms, told apart by `pick` (-1: none of them), so that errors are about the form that was meant. */
export function choice<const Options extends readonly AnySchema[]>(
  options: Options,
  pick: (input: unknown) => number,
  message: (issue: v.BaseIssue<unknown>) => string,
): v.UnionSchema<Options, undefined> {
  const base = v.union(options as unknown as v.UnionOptions)
  const run: Run = (dataset, config) => {
    const option = options[pick(dataset.value)]
    return option === undefined
      ? fail(base, dataset, config, message)
      : option['~run'](dataset, config)
  }
  return { ...base, '~run': run } as unknown as v.UnionSchema<Options, undefined>
}

function collect(
  all: Collected,
  input: Readonly<Record<string, unknown>>,
  key: string,
  schema: AnySchema,
  config: v.Config<v.BaseIssue<unknown>>,
): void {
  const result = schema['~run'](
    { value: Object.hasOwn(input, key) ? input[key] : undefined },
    config,
  )
  for (const issue of result.issues ?? []) all.issues.push(under(issue, input, key))
  if (result.value !== undefined) all.value[key] = result.value
}

function addIssue(
  all: Collected,
  schema: AnySchema,
  input: Readonly<Record<string, unknown>>,
  key: string,
  config: v.Config<v.BaseIssue<unknown>>,
  complaint: Complaint,
): void {
  const dataset = fail(schema, { value: input[key] }, config, () => complaintText(complaint))
  for (const issue of dataset.issues ?? []) all.issues.push(under(issue, input, key))
}

function under(issue: v.BaseIssue<unknown>, input: object, key: string): v.BaseIssue<unknown> {
  const item: v.UnknownPathItem = {
    type: 'unknown',
    origin: 'value',
    input,
    key,
    value: issue.input,
  }
  return { ...issue, path: [item, ...(issue.path ?? [])] }
}

function fail(
  schema: AnySchema,
  dataset: v.UnknownDataset,
  config: v.Config<v.BaseIssue<unknown>>,
  message: (issue: v.BaseIssue<unknown>) => string,
): ReturnType<Run> {
  const failed: v.UnknownDataset = { value: dataset.value }
  v._addIssue(schema, 'value', failed, config, { message })
  return failed as unknown as ReturnType<Run>
}

function outcome({ value, issues }: Collected): ReturnType<Run> {
  if (issues.length === 0) return { typed: true, value }
  return { typed: false, value, issues: issues as Issues }
}
