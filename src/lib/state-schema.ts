/** Checks the form of a value from storage or from a message. Schemas can be combined. */
export type StateSchema = (value: unknown) => boolean

/** JSON has neither NaN nor infinity, so every number must be finite. */
export const number: StateSchema = Number.isFinite

export const atLeastZero: StateSchema = (value) => Number.isFinite(value) && (value as number) >= 0

export const positive: StateSchema = (value) => Number.isFinite(value) && (value as number) > 0

export const text: StateSchema = (value) => typeof value === 'string'

export const flag: StateSchema = (value) => typeof value === 'boolean'

export const exactly =
  (expected: unknown): StateSchema =>
  (value) =>
    value === expected

export const oneOf =
  (...words: readonly string[]): StateSchema =>
  (value) =>
    typeof value === 'string' && words.includes(value)

export const nullable =
  (schema: StateSchema): StateSchema =>
  (value) =>
    value === null || schema(value)

/** For a field that may be absent: older senders and older stored states do not have it. */
export const optional =
  (schema: StateSchema): StateSchema =>
  (value) =>
    value === undefined || schema(value)

export const list =
  (schema: StateSchema): StateSchema =>
  (value) =>
    Array.isArray(value) && value.every(schema)

/** An object with any keys, where all values pass. */
export const record =
  (schema: StateSchema): StateSchema =>
  (value) =>
    isObject(value) && Object.values(value).every(schema)

/** An object with these fields and no others. */
export const object = (fields: Readonly<Record<string, StateSchema>>): StateSchema => {
  const hasFields = objectWith(fields)
  return (value) =>
    hasFields(value) && Object.keys(value as object).every((name) => Object.hasOwn(fields, name))
}

/** An object with these fields. It may have others, because a later version may have written them. */
export const objectWith = (fields: Readonly<Record<string, StateSchema>>): StateSchema => {
  const entries = Object.entries(fields)
  return (value) =>
    isObject(value) &&
    entries.every(([name, schema]) =>
      schema(Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined),
    )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
