import type { Mode, Route } from '../config/config.ts'
import { PathTree } from './path-tree.ts'
import type { UrlParts } from './url.ts'

/** From the strictest. */
const MODES = ['enforce', 'observe', 'off'] as const satisfies readonly Mode[]

interface RoutedTo {
  readonly route: Route
  /** The mode in force. */
  readonly mode: Mode
}

/**
 * Finds the route of a request: the first one whose host and path match. Where readings of the path lead to different
 * routes, the strictest mode wins, so that no spelling avoids a limit.
 */
export class RouteTable<R extends RoutedTo> {
  readonly #paths = new PathTree()
  readonly #routes: readonly R[]

  constructor(routes: readonly R[]) {
    this.#routes = routes
    for (const [id, { route }] of routes.entries()) this.#paths.add(route.match.path, id)
  }

  first({ readings, host }: UrlParts): R | null {
    let found: R | null = null
    for (const path of readings) {
      const candidate = this.#firstAt(path, host)
      if (candidate !== null && (found === null || isStricter(candidate, found))) found = candidate
    }
    return found
  }

  #firstAt(path: string, host: string): R | null {
    for (const id of this.#paths.matching(path)) {
      const candidate = this.#routes[id]!
      if (hostMatches(candidate.route.match.host, host)) return candidate
    }
    return null
  }
}

function isStricter(a: RoutedTo, b: RoutedTo): boolean {
  return MODES.indexOf(a.mode) < MODES.indexOf(b.mode)
}

function hostMatches(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  return pattern.startsWith('*.') ? host.endsWith(pattern.substring(1)) : host === pattern
}
