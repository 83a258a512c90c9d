import type { RequestMatch, Route } from '../config/types.ts'
import { ipMatcher } from '../ip-range.ts'
import { readCookie } from './cookie-header.ts'
import { PathTree } from './path-tree.ts'
import type { UrlParts } from './url.ts'

/** What rules may look at. On Cloudflare `cf` is set by the edge, and so is the client's address. */
export interface Subject {
  readonly request: Request
  readonly url: UrlParts
  readonly ip: string | null
}

type Test = (subject: Subject) => boolean

/** Index of the first rule that holds, or -1. Only rules whose path fits are tested any further. */
export class Rules {
  readonly #tree = new PathTree()
  readonly #anyPath: number[] = []
  readonly #tests: readonly (readonly Test[])[]
  readonly #found: number[] = []

  constructor(matches: readonly RequestMatch[]) {
    this.#tests = matches.map(compile)
    for (const [id, match] of matches.entries()) {
      if (match.path === undefined) this.#anyPath.push(id)
      else for (const pattern of match.path) this.#tree.add(pattern, id)
    }
  }

  first(subject: Subject): number {
    const found = this.#found
    found.length = 0
    this.#tree.find(subject.url.path, found)
    if (found.length > 1) found.sort(ascending)
    let anyPath = 0
    let byPath = 0
    while (anyPath < this.#anyPath.length || byPath < found.length) {
      const left = this.#anyPath[anyPath] ?? Number.POSITIVE_INFINITY
      const right = found[byPath] ?? Number.POSITIVE_INFINITY
      const id = Math.min(left, right)
      if (left === id) anyPath++
      if (right === id) byPath++
      if (holds(this.#tests[id]!, subject)) return id
    }
    return -1
  }
}

/** The route for a request: the first whose host and path match. */
export class Routes<R extends { readonly route: Route }> {
  readonly #tree = new PathTree()
  readonly #routes: readonly R[]
  readonly #found: number[] = []

  constructor(routes: readonly R[]) {
    this.#routes = routes
    for (const [id, { route }] of routes.entries()) this.#tree.add(route.match.path, id)
  }

  first(url: UrlParts): R | null {
    const found = this.#found
    found.length = 0
    this.#tree.find(url.path, found)
    if (found.length > 1) found.sort(ascending)
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

function holds(tests: readonly Test[], subject: Subject): boolean {
  for (let i = 0; i < tests.length; i++) if (!tests[i]!(subject)) return false
  return true
}

function compile(match: RequestMatch): readonly Test[] {
  const tests: Test[] = []
  if (match.method) {
    const methods = new Set(match.method)
    tests.push(({ request }) => methods.has(request.method))
  }
  if (match.country) {
    const countries = new Set(match.country)
    tests.push(({ request }) => countries.has(String(cfOf(request).country)))
  }
  if (match.asn) {
    const networks = new Set(match.asn)
    tests.push(({ request }) => networks.has(Number(cfOf(request).asn)))
  }
  if (match.ip) {
    const inRange = ipMatcher(match.ip)
    tests.push(({ ip }) => ip !== null && inRange(ip))
  }
  for (const [name, patterns] of Object.entries(match.header ?? {}))
    tests.push(({ request }) => matchesAny(patterns, request.headers.get(name)))
  for (const [name, patterns] of Object.entries(match.cookie ?? {}))
    tests.push(({ request }) =>
      matchesAny(patterns, readCookie(request.headers.get('Cookie'), name)),
    )
  for (const [name, patterns] of Object.entries(match.query ?? {}))
    tests.push(({ url }) => matchesAny(patterns, new URLSearchParams(url.query).get(name)))
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
