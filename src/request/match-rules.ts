import type { RequestMatch } from '../config/config.ts'
import { ipMatcher } from '../lib/ip-range.ts'
import { cookieReadings } from './cookie-header.ts'
import { PathTree } from './path-tree.ts'
import { type KnownOfRequest, NOTHING_KNOWN, RequestAttributes } from './request-attributes.ts'
import type { RequestView } from './request-view.ts'

type Test = (attributes: RequestAttributes, path: string) => boolean

/** Finds the first rule that matches a request. A rule is tested further only if its path matches. */
export class MatchRules {
  readonly #paths = new PathTree()
  /** Rules without a path. */
  readonly #anyPath: number[] = []
  readonly #tests: readonly (readonly Test[])[]

  constructor(matches: readonly RequestMatch[]) {
    this.#tests = matches.map(compile)
    for (const [id, match] of matches.entries()) {
      if (match.path === undefined) this.#anyPath.push(id)
      else for (const pattern of match.path) this.#paths.add(pattern, id)
    }
  }

  /** Index of the first rule that matches the request with this reading of its path, or -1. */
  first(view: RequestView, path = view.url.path, known: KnownOfRequest = NOTHING_KNOWN): number {
    const attributes = new RequestAttributes(view, known)
    const byPath = this.#paths.matching(path)
    const anyPath = this.#anyPath
    let a = 0
    let b = 0
    while (a < anyPath.length || b < byPath.length) {
      // Rules are tested in the order in which they were written, with or without a path.
      const isNextAnyPath = b === byPath.length || (a < anyPath.length && anyPath[a]! < byPath[b]!)
      const id = isNextAnyPath ? anyPath[a++]! : byPath[b++]!
      if (allPass(this.#tests[id]!, attributes, path)) return id
    }
    return -1
  }
}

function allPass(tests: readonly Test[], attributes: RequestAttributes, path: string): boolean {
  for (let i = 0; i < tests.length; i++) if (!tests[i]!(attributes, path)) return false
  return true
}

function compile(match: RequestMatch): readonly Test[] {
  const tests: Test[] = []
  if (match.pass) tests.push(({ known }) => known.hasPass)
  if (match.tier) {
    const tiers = new Set<string | null>(match.tier)
    tests.push(({ known }, path) => tiers.has(known.tierOf(path)))
  }
  if (match.method) {
    const methods = new Set(match.method)
    tests.push(({ view }) => methods.has(view.request.method))
  }
  if (match.country) {
    const countries = new Set(match.country)
    tests.push(({ view }) => countries.has(String(cfOf(view.request).country)))
  }
  if (match.asn) {
    const networks = new Set(match.asn)
    tests.push(({ view }) => networks.has(Number(cfOf(view.request).asn)))
  }
  if (match.ip) {
    const inRange = ipMatcher(match.ip)
    tests.push(({ view: { ip } }) => ip !== null && inRange(ip))
  }
  for (const [name, patterns] of Object.entries(match.header ?? {}))
    tests.push((attributes) => matchesAny(patterns, attributes.header(name)))
  for (const [name, patterns] of Object.entries(match.cookie ?? {}))
    tests.push(({ view }) =>
      cookieReadings(view.cookies, name).some((value) => matchesAny(patterns, value)),
    )
  for (const [name, patterns] of Object.entries(match.query ?? {}))
    tests.push((attributes) => matchesAny(patterns, attributes.query(name)))
  return tests
}

function cfOf(request: Request): { country?: unknown; asn?: unknown } {
  return (request as { cf?: { country?: unknown; asn?: unknown } }).cf ?? {}
}

function matchesAny(patterns: readonly string[], value: string | null): boolean {
  return value !== null && patterns.some((pattern) => textMatches(pattern, value))
}

/** A `*` at the start, at the end or at both ends stands for any text. */
export function textMatches(pattern: string, value: string): boolean {
  if (pattern === '*') return true
  const open = pattern.startsWith('*')
  const end = pattern.endsWith('*')
  if (open && end) return value.includes(pattern.slice(1, -1))
  if (open) return value.endsWith(pattern.slice(1))
  return end ? value.startsWith(pattern.slice(0, -1)) : value === pattern
}
