import { type Path, pathText } from '../errors/problem.ts'

/** A value that is allowed but surely not meant, or that clients can turn against the site. */
export interface Warning {
  readonly route: string
  /** `routes[0].session.idleMs`. */
  readonly path: string
  /** What is wrong with it: a full sentence. */
  readonly text: string
  /** What to write: a full sentence. */
  readonly remedy: string
}

/** The same before its route is known. Its path begins at the route. */
export interface Doubt {
  readonly path: Path
  readonly text: string
  readonly remedy: string
}

export const doubt = (path: Path, text: string, remedy: string): Doubt => ({ path, text, remedy })

export function warningOf({ path, text, remedy }: Doubt, route: string, index: number): Warning {
  return { route, path: pathText(['routes', index, ...path]), text, remedy }
}

/** A heading, and a line for each warning. Empty if there is none. */
export function warningsText(warnings: readonly Warning[]): string {
  if (warnings.length === 0) return ''
  const heading = warnings.length === 1 ? '1 warning' : `${warnings.length} warnings`
  const lines = warnings.map(({ path, text, remedy }) => `  ${path}: ${text} ${remedy}`)
  return [`${heading}:`, ...lines].join('\n')
}
