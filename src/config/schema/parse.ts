import * as v from 'valibot'
import { readComplaint } from '../errors/complaint.ts'
import type { Fault, Path } from '../errors/problem.ts'
import { found } from '../errors/wording.ts'
import { UNKNOWN_KEY } from './objects.ts'
import { middlewareSchema, type ParsedConfig, proxySchema } from './schema.ts'

/** What the schema made of the input. Values at sound paths have their types; the others are as they came. */
export interface Parsed {
  readonly value: ParsedConfig
  readonly faults: readonly Fault[]
  /** No fault here, above or below. */
  readonly isSound: (path: Path) => boolean
  /** No fault here or above: the value has the right kind, though a part of it may be wrong. */
  readonly isThere: (path: Path) => boolean
  /** The user wrote it; else it is a default. */
  readonly isGiven: (path: Path) => boolean
  /** The user wrote a key in this block that it does not have: it may be meant for one that now has its default. */
  readonly hasUnknownKey: (block: Path) => boolean
}

export function parse(input: unknown, origin: 'required' | 'optional'): Parsed {
  const schema = origin === 'required' ? proxySchema : middlewareSchema
  const result = v.safeParse(schema, input, { abortPipeEarly: true })
  const faults = (result.issues ?? []).map(faultOf)
  return {
    value: result.output as ParsedConfig,
    faults,
    isSound: (path) =>
      !faults.some((fault) => isWithin(fault.path, path) || isWithin(path, fault.path)),
    isThere: (path) => !faults.some((fault) => isWithin(path, fault.path)),
    isGiven: (path) => isGiven(input, path),
    hasUnknownKey: (block) =>
      faults.some(
        ({ path, expected }) =>
          expected === UNKNOWN_KEY && path.length === block.length + 1 && isWithin(path, block),
      ),
  }
}

function faultOf(issue: v.BaseIssue<unknown>): Fault {
  const { expected, remedy, found: shown } = readComplaint(issue.message)
  const path = (issue.path ?? []).map(({ key }) => key as string | number)
  return { path, expected, remedy, found: shown ?? found(issue.input) }
}

/** Whether `inner` is `outer` or lies below it. */
function isWithin(inner: Path, outer: Path): boolean {
  return outer.length <= inner.length && outer.every((key, i) => key === inner[i])
}

function isGiven(input: unknown, [key, ...rest]: Path): boolean {
  if (key === undefined) return input !== undefined
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, key)) return false
  return isGiven((input as Readonly<Record<string | number, unknown>>)[key], rest)
}
