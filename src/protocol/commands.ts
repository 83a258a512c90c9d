import { atLeastZero, object, optional, record, type StateSchema } from '../lib/state-schema.ts'

/**
 * What an origin said in the headers of its answers: a session has ended, or a route has sold out. Commands travel with
 * feedback, but at once. Two sets of commands merge in any order, and a repeated one changes nothing.
 */
export interface OriginCommands {
  /** By route. */
  readonly stock?: Readonly<Record<string, Stock>>
  /** Sessions that have ended, by their mark: until when their cookies would have been valid. */
  readonly revoked?: Readonly<Record<string, number>>
}

export interface Stock {
  /** 0: sold out. */
  readonly left: number
  /** When the origin said it. The later one of two counts. */
  readonly atMs: number
}

/** 48 of the 96 random bits of an id. Among thousands of revoked sessions no other session has the same. */
const MARK_CHARACTERS = 8
const MOST_IN_A_REPORT = 1000
const MARK = /^[\w-]{1,8}$/

/** What stands for a session or ticket in a list of revoked ones. */
export const markOf = (id: string): string => id.slice(-MARK_CHARACTERS)

export const NO_COMMANDS: OriginCommands = {}

export function hasCommands({ stock, revoked }: OriginCommands): boolean {
  return stock !== undefined || revoked !== undefined
}

export function mergeCommands(a: OriginCommands, b: OriginCommands): OriginCommands {
  const stock = mergeBy(a.stock, b.stock, laterStock)
  const revoked = mergeBy(a.revoked, b.revoked, Math.max)
  return { ...(stock ? { stock } : {}), ...(revoked ? { revoked } : {}) }
}

/** Of two at the same time the one that stops admitting counts. */
function laterStock(a: Stock, b: Stock): Stock {
  if (a.atMs === b.atMs) return a.left <= b.left ? a : b
  return a.atMs > b.atMs ? a : b
}

function mergeBy<Value>(
  a: Readonly<Record<string, Value>> | undefined,
  b: Readonly<Record<string, Value>> | undefined,
  merge: (a: Value, b: Value) => Value,
): Readonly<Record<string, Value>> | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const merged: Record<string, Value> = { ...a }
  for (const [key, value] of Object.entries(b))
    merged[key] = Object.hasOwn(merged, key) ? merge(merged[key]!, value) : value
  return merged
}

const isShort = (value: unknown): boolean => Object.keys(value as object).length <= MOST_IN_A_REPORT

export const isStock: StateSchema = object({ left: atLeastZero, atMs: atLeastZero })

export const isRevoked: StateSchema = (value) =>
  record(atLeastZero)(value) && Object.keys(value as object).every((mark) => MARK.test(mark))

export const isCommands: StateSchema = object({
  stock: optional((value) => record(isStock)(value) && isShort(value)),
  revoked: optional((value) => isRevoked(value) && isShort(value)),
})
