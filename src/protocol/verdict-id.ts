import { fnv1a } from '../lib/hash.ts'
import type { Verdict } from './verdict.ts'

/**
 * The id of a verdict holds all that is known of it, so that it can be found again without having been stored. It says
 * nothing about the visitor: its time, a hash of route and class, the number of the plan, the chance of admission, and
 * the verdict itself.
 */
export interface IdentifiedVerdict {
  readonly atMs: number
  readonly route: string
  readonly class: string
  /** Number of the plan in force; 0: there was none. */
  readonly planSeq: number
  /** The plan's probability for the class, in thousandths. */
  readonly permille: number
  readonly kind: string
  readonly reason: string
}

export function verdictId(
  atMs: number,
  classHash: string,
  planSeq: number,
  probability: number,
  { kind, reason }: Verdict,
): string {
  const permille = Math.round(probability * 1000)
  return `${Math.floor(atMs).toString(36)}-${classHash}-${planSeq.toString(36)}-${permille.toString(36)}-${kind}.${reason}`
}

/** Names a class in an id. */
export const classHash = (route: string, className: string): string =>
  (fnv1a(`${route}\n${className}`) >>> 0).toString(36)

const FORM =
  /^([0-9a-z]{1,11})-([0-9a-z]{1,7})-([0-9a-z]{1,11})-([0-9a-z]{1,3})-([a-z]{1,12})\.([a-z-]{1,20})$/

export const isVerdictId = (text: unknown): text is string =>
  typeof text === 'string' && FORM.test(text)

interface NamedClasses {
  readonly name: string
  readonly classes: readonly { readonly name: string }[]
}

/** null: it has not the form of an id, or these routes have no such class. */
export function readVerdictId(
  id: string,
  routes: readonly NamedClasses[],
): IdentifiedVerdict | null {
  const [, time, hash, seq, permille, kind, reason] = FORM.exec(id) ?? []
  if (time === undefined) return null
  for (const { name, classes } of routes)
    for (const one of classes)
      if (classHash(name, one.name) === hash)
        return {
          ...{ atMs: Number.parseInt(time, 36), route: name, class: one.name },
          ...{ planSeq: Number.parseInt(seq!, 36), permille: Number.parseInt(permille!, 36) },
          ...{ kind: kind!, reason: reason! },
        }
  return null
}
