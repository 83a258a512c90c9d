import type { Route } from '../config/config.ts'
import { PathTree } from './path-tree.ts'
import type { UrlParts } from './url.ts'

/** Finds the route of a request: the first one with a matching host and path. */
export class RouteTable<R extends { readonly route: Route }> {
  readonly #paths = new PathTree()
  readonly #routes: readonly R[]

  constructor(routes: readonly R[]) {
    this.#routes = routes
    for (const [id, { route }] of routes.entries()) this.#paths.add(route.match.path, id)
  }

  first({ path, host }: UrlParts): R | null {
    for (const id of this.#paths.matching(path)) {
      const candidate = this.#routes[id]!
      if (hostMatches(candidate.route.match.host, host)) return candidate
    }
    return null
  }
}

function hostMatches(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.substring(1)) : host === pattern
}
