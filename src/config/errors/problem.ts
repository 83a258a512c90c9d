import { listOf } from './wording.ts'

/** One thing that is wrong: where, what was expected, what was found, what to write. */
export interface Problem {
  /** `routes[0].sla.targetMs`; `config` when it is the whole. */
  readonly path: string
  readonly expected: string
  readonly found: string
  /** A sentence of its own. */
  readonly remedy: string
  /** `route "shop"`, or `routes[1]` when it has no name; null: it is about no single route. */
  readonly route: string | null
}

export type Path = readonly (string | number)[]

/** What is wrong at a place, before the place is put into words. */
export interface Fault {
  readonly path: Path
  readonly expected: string
  readonly found: string
  readonly remedy: string
}

/** The configuration or the secrets cannot be used; the message is the full text for the user. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[], of = 'the configuration') {
    super(`Tidegate cannot start: ${problemsText(problems, of)}`)
    this.problems = problems
  }
}

/** A heading with more places than this says only what it is all about. */
const MOST_NAMED = 3

/** `2 problems in route "shop"` and a line for each; several routes get a heading each. */
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
