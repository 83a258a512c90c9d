/** How error texts show values, keys and alternatives. */

const LONGEST_SHOWN = 60
const MOST_KEYS_SHOWN = 5

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Not `=== Object.prototype`: an object from another realm has another one.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** A short text for any value: `"500ms" (string)`, `NaN (number)`, `nothing`, `a list of 3`. */
export function found(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing'
    case 'string':
      return `${quote(value)} (string)`
    case 'bigint':
      return `${shorten(`${value}n`)} (bigint)`
    case 'symbol':
      return 'a symbol'
    case 'function':
      return 'a function'
    case 'object':
      return foundObject(value)
    default:
      return `${value} (${typeof value})`
  }
}

function foundObject(value: object | null): string {
  if (value === null) return 'null'
  if (value instanceof RegExp) return `the regular expression ${shorten(String(value))}`
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (!isPlainObject(value)) return 'an object that JSON cannot hold'
  const keys = Object.keys(value)
  if (keys.length === 0) return 'an empty object'
  const shown = keys.slice(0, MOST_KEYS_SHOWN).map(quote).join(', ')
  const more = keys.length > MOST_KEYS_SHOWN ? ', …' : ''
  return `an object with the ${keys.length === 1 ? 'key' : 'keys'} ${shown}${more}`
}

/** As JSON, so that no character of it can break the line. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text))
}

function shorten(text: string): string {
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}

export function listOf(words: readonly string[], joint: 'and' | 'or'): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${joint} ${last}`
}

/** The known word that the user probably means. null: none is near. Of two equally near words, the one with fewer edits. */
export function nearest(word: string, known: readonly string[]): string | null {
  const meant = lettersOf(word.slice(0, LONGEST_SHOWN))
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(meant.length / 3))
  let bestEdits = Number.POSITIVE_INFINITY
  for (const candidate of known) {
    const letters = lettersOf(candidate)
    const edits = editDistance(meant, letters)
    const distance = isStartOfOther(meant, letters) ? Math.min(1, edits) : edits
    if (distance > bestDistance || (distance === bestDistance && edits >= bestEdits)) continue
    ;[best, bestDistance, bestEdits] = [candidate, distance, edits]
  }
  return best
}

/** `soc_lqr`, `socLqr` and `soc-lqr` are the same word. */
const lettersOf = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, '')

const SHORTEST_START = 3

/** `tick` for `tickMs`, and `classes` for `class`, count as one edit. */
function isStartOfOther(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.length >= SHORTEST_START && long.length > short.length && long.startsWith(short)
}

/** The number of letters inserted, deleted, replaced or swapped with a neighbour (Damerau 1964). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? beforeLast[j - 2]! + 1 : replaced
      row.push(Math.min(replaced, swapped, last[j]! + 1, row[j - 1]! + 1))
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
