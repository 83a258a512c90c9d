import type { RequestMatch, Route } from '../config/config.ts'
import { ipMatcher } from '../lib/ip-range.ts'
import { readCookie } from './cookie-header.ts'
import { PathTree } from './path-tree.ts'
import { RequestAttributes, type RequestView } from './request-attributes.ts'
import type { UrlParts } from './url.ts'

export type { RequestView }

type Test = (reading: RequestAttributes) => boolean

/** The rules whose path fits, in the order in which they were written. */
class FittingPaths {
  readonly #tree = new PathTree()
  readonly #found: number[] = []
  #path: string | null = null

  add(pattern: string, id: number): void {
    this.#tree.add(pattern, id)
  }

  /** Good until the next call. */
  of(path: string): readonly number[] {
    const found = this.#found
    // In a rush most ask for the same page.
    if (path === this.#path) return found
    while (found.length > 0) found.pop() // A length of 0 would give its memory back.
    this.#tree.find(path, found)
    if (found.length > 1) found.sort(ascending)
    this.#path = path
    return found
  }
}

/** Index of the first rule that holds, or -1. Only rules whose path fits are tested any further. */
export class MatchRules {
  readonly #paths = new FittingPaths()
  readonly #anyPath: number[] = []
  readonly #tests: readonly (readonly Test[])[]
  readonly #reading = new RequestAttributes()

  constructor(matches: readonly RequestMatch[]) {
    this.#tests = matches.map(compile)
    for (const [id, match] of matches.entries()) {
      if (match.path === undefined) this.#anyPath.push(id)
      else for (const pattern of match.path) this.#paths.add(pattern, id)
    }
  }

  first(subject: RequestView): number {
    this.#reading.start(subject)
    const first = this.#first(subject.url.path)
    this.#reading.end()
    return first
  }

  #first(path: string): number {
    const found = this.#paths.of(path)
    const anyPath = this.#anyPath
    let a = 0
    let b = 0
    while (a < anyPath.length || b < found.length) {
      // In the order in which the rules were written, whether they name a path or not.
      const isNextAnyPath = b === found.length || (a < anyPath.length && anyPath[a]! < found[b]!)
      const id = isNextAnyPath ? anyPath[a++]! : found[b++]!
      if (holds(this.#tests[id]!, this.#reading)) return id
    }
    return -1
  }
}

/** The route for a request: the first whose host and path match. */
export class RouteTable<R extends { readonly route: Route }> {
  readonly #paths = new FittingPaths()
  readonly #routes: readonly R[]

  constructor(routes: readonly R[]) {
    this.#routes = routes
    for (const [id, { route }] of routes.entries()) this.#paths.add(route.match.path, id)
  }

  first(url: UrlParts): R | null {
    const found = this.#paths.of(url.path)
    for (let i = 0; i < found.length; i++) {
      const candidate = this.#routes[found[i]!]!
      if (hostMatches(candidate.route.match.host, url.host)) return candidate
    }
    return null
  }
}

const ascending = (a: number, b: number): number => a - b

function hostMatches(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.substring(1)) : host === pattern
}

function holds(tests: readonly Test[], reading: RequestAttributes): boolean {
  for (let i = 0; i < tests.length; i++) if (!tests[i]!(reading)) return false
  return true
}

function compile(match: RequestMatch): readonly Test[] {
  const tests: Test[] = []
  if (match.method) {
    const methods = new Set(match.method)
    tests.push(({ subject }) => methods.has(subject.request.method))
  }
  if (match.country) {
    const countries = new Set(match.country)
    tests.push(({ subject }) => countries.has(String(cfOf(subject.request).country)))
  }
  if (match.asn) {
    const networks = new Set(match.asn)
    tests.push(({ subject }) => networks.has(Number(cfOf(subject.request).asn)))
  }
  if (match.ip) {
    const inRange = ipMatcher(match.ip)
    tests.push(({ subject: { ip } }) => ip !== null && inRange(ip))
  }
  for (const [name, patterns] of Object.entries(match.header ?? {}))
    tests.push((reading) => matchesAny(patterns, reading.header(name)))
  for (const [name, patterns] of Object.entries(match.cookie ?? {}))
    tests.push((reading) => matchesAny(patterns, readCookie(reading.subject.cookies, name)))
  for (const [name, patterns] of Object.entries(match.query ?? {}))
    tests.push((reading) => matchesAny(patterns, reading.query(name)))
  return tests
}

function cfOf(request: Request): { country?: unknown; asn?: unknown } {
  return (request as { cf?: { country?: unknown; asn?: unknown } }).cf ?? {}
}

function matchesAny(patterns: readonly string[], value: string | null): boolean {
  return value !== null && patterns.some((pattern) => textMatches(pattern, value))
}

/** `*` at the start, at the end or at both stands for anything. */
export function textMatches(pattern: string, value: string): boolean {
  if (pattern === '*') return true
  const open = pattern.startsWith('*')
  const end = pattern.endsWith('*')
  if (open && end) return value.includes(pattern.slice(1, -1))
  if (open) return value.endsWith(pattern.slice(1))
  return end ? value.startsWith(pattern.slice(0, -1)) : value === pattern
}
