import { listOf } from './wording.ts'

/** One thing that is wrong: where it is, what was expected, what was found, what to write. */
export interface Problem {
  /** `routes[0].sla.targetMs`, or `config` for the whole configuration. */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** A full sentence. */
  readonly remedy: string
  /** `route "shop"`, or `routes[1]` if it has no name. null: not in one route. */
  readonly route: string | null
}

export type Path = readonly (string | number)[]

/** The same with a path as data, before it belongs to a route. */
export interface Fault {
  readonly path: Path
  readonly expected: string
  readonly found: string
  readonly remedy: string
}

export const fault = (path: Path, expected: string, found: string, remedy: string): Fault => ({
  path,
  expected,
  found,
  remedy,
})

/** Whether no fault is at this path, above it or below it. */
export function isSound(faults: readonly Fault[], path: Path): boolean {
  return !faults.some((fault) => path.every((key, i) => key === (fault.path[i] ?? key)))
}

/** The configuration or the secrets are not usable. The message is the full text for the user. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[], of = 'the configuration') {
    super(`Tidegate cannot start: ${problemsText(problems, of)}`)
    this.problems = problems
  }
}

/** A heading lists at most this many routes. */
const MOST_NAMED = 3

/** `2 problems in route "shop"`, and a line for each problem. With several routes, each gets a heading. */
export function problemsText(problems: readonly Problem[], of = 'the configuration'): string {
  const routes = [...new Set(problems.map(({ route }) => route))]
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  const names = routes.filter((route) => route !== null)
  if (routes.length === 1)
    return [`${count} in ${names[0] ?? of}`, ...problems.map(line)].join('\n')
  const groups = routes.flatMap((route) => [
    `in ${route ?? of}:`,
    ...problems.filter((problem) => problem.route === route).map(line),
  ])
  const places = [...(routes.includes(null) ? [of] : []), ...names]
  const where = places.length > MOST_NAMED ? of : listOf(places, 'and')
  return [`${count} in ${where}`, ...groups].join('\n')
}

function line({ path, expected, found, remedy }: Problem): string {
  return `  ${path}: expected ${expected}, got ${found}. ${remedy}`
}

const PLAIN_KEY = /^[A-Za-z_$][\w$]{0,60}$/

export function pathText(path: Path): string {
  const text = path
    .map((key) => {
      if (typeof key === 'number') return `[${key}]`
      return PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 60))}]`
    })
    .join('')
  return text === '' ? 'config' : text.replace(/^\./, '')
}
