/** Is a value that comes back from storage what we wrote? Small predicates that combine. */
export type StateSchema = (value: unknown) => boolean

/** JSON holds no NaN and no infinity: a number is finite. */
export const number: StateSchema = Number.isFinite

export const atLeastZero: StateSchema = (value) => Number.isFinite(value) && (value as number) >= 0

export const text: StateSchema = (value) => typeof value === 'string'

export const flag: StateSchema = (value) => typeof value === 'boolean'

export const exactly =
  (expected: unknown): StateSchema =>
  (value) =>
    value === expected

export const nullable =
  (shape: StateSchema): StateSchema =>
  (value) =>
    value === null || shape(value)

export const list =
  (shape: StateSchema): StateSchema =>
  (value) =>
    Array.isArray(value) && value.every(shape)

/** Every key named must be there; others are taken as damage. */
export const object =
  (fields: Readonly<Record<string, StateSchema>>): StateSchema =>
  (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const names = Object.keys(fields)
    return (
      Object.keys(value).length === names.length &&
      names.every((name) => Object.hasOwn(value, name) && fields[name]!(Reflect.get(value, name)))
    )
  }
