import { parseRange } from '../../lib/ip-range.ts'
import type { RequestMatch } from '../config.ts'
import { pathCovers } from '../schema/patterns.ts'

/**
 * Whether `a` takes every request that `b` takes, on a route with this path. Each condition of `a` is compared
 * with the same condition of `b`. So `true` is always right, and `false` is wrong only where conditions of
 * different kinds imply each other.
 */
export function matchCovers(a: RequestMatch, b: RequestMatch, routePath: string): boolean {
  return (
    coversList(a.path, b.path ?? [routePath], pathCovers) &&
    coversList(a.method, b.method, same) &&
    coversNames(a.header, b.header) &&
    coversNames(a.cookie, b.cookie) &&
    coversNames(a.query, b.query) &&
    coversList(a.country, b.country, same) &&
    coversList(a.asn, b.asn, same) &&
    coversList(a.ip, b.ip, rangeCovers) &&
    (a.pass === undefined || b.pass === true) &&
    coversList(a.tier, b.tier, same)
  )
}

/** Whether a match takes every request of a route with this path. */
export function takesEverything(match: RequestMatch, routePath: string): boolean {
  return matchCovers(match, {}, routePath)
}

function coversList<T>(
  wide: readonly T[] | undefined,
  narrow: readonly T[] | undefined,
  covers: (a: T, b: T) => boolean,
): boolean {
  if (wide === undefined) return true
  return narrow?.every((b) => wide.some((a) => covers(a, b))) ?? false
}

type Named = Readonly<Record<string, readonly string[]>>

function coversNames(wide: Named = {}, narrow: Named = {}): boolean {
  return Object.entries(wide).every(([name, values]) => {
    const others = Object.hasOwn(narrow, name) ? narrow[name] : undefined
    return coversList(values, others, textCovers)
  })
}

const same = (a: unknown, b: unknown): boolean => a === b

function rangeCovers(a: string, b: string): boolean {
  const [wide, narrow] = [parseRange(a), parseRange(b)]
  if (wide === null || narrow === null || narrow.shift > wide.shift) return false
  return narrow.address >> wide.shift === wide.address >> wide.shift
}

/** For texts with `*` at the start, at the end or both. */
export function textCovers(a: string, b: string): boolean {
  const [wide, narrow] = [textOf(a), textOf(b)]
  if ((narrow.open && !wide.open) || (narrow.end && !wide.end)) return false
  if (wide.open && wide.end) return narrow.text.includes(wide.text)
  if (wide.open) return narrow.text.endsWith(wide.text)
  return wide.end ? narrow.text.startsWith(wide.text) : narrow.text === wide.text
}

function textOf(pattern: string): { open: boolean; end: boolean; text: string } {
  if (pattern === '*') return { open: true, end: true, text: '' }
  const [open, end] = [pattern.startsWith('*'), pattern.endsWith('*')]
  return { open, end, text: pattern.slice(open ? 1 : 0, end ? -1 : undefined) }
}
