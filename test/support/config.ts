import type { Config, Route } from '../../src/config/config.ts'
import type { LearnerTables } from '../../src/config/contradictions/checks.ts'
import { problemsText } from '../../src/config/errors/problem.ts'
import { resolveConfig } from '../../src/config/load.ts'

/** Learners for these tests only, with an option of every kind. */
export const LEARNERS: LearnerTables = {
  aimd: {
    smoothing: { kind: 'number', default: 0.7, min: 0, below: 1, text: '', source: '' },
    decrease: { kind: 'number', default: 1.2, above: 1, text: '', source: '' },
    min: { kind: 'number', default: 0.05, above: 0, max: 100, text: '', source: '' },
    max: { kind: 'number', default: 5000, min: 1, text: '', source: '' },
    multiclass: { kind: 'boolean', default: false, text: '', source: '' },
  },
  'soc-lqr': {
    floor: { kind: 'number', default: 0.4, above: 0, max: 1, text: '', source: '' },
  },
  fixed: { limit: { kind: 'number', default: 0, min: 0, text: '', source: '' } },
}

const OPTIONS = { origin: 'required', learners: LEARNERS } as const

export const ORIGIN = 'https://origin.example.com'

/** A route with only what is required, and these keys. */
export const route = (keys: object = {}): object => ({ match: '/*', origin: ORIGIN, ...keys })

export function resolved(input: unknown, origin: 'required' | 'optional' = 'required'): Config {
  const resolution = resolveConfig(input, { ...OPTIONS, origin })
  if (!resolution.ok) throw new Error(problemsText(resolution.problems))
  return resolution.config
}

/** The resolved form of a single route. */
export const resolvedRoute = (keys: object = {}): Route =>
  resolved({ routes: [route(keys)] }).routes[0]!

/** One line for each problem, without the headings. */
export function problems(
  input: unknown,
  origin: 'required' | 'optional' = 'required',
): readonly string[] {
  const resolution = resolveConfig(input, { ...OPTIONS, origin })
  if (resolution.ok) return []
  const lines = problemsText(resolution.problems).split('\n')
  return lines.filter((line) => line.startsWith('  ')).map((line) => line.trim())
}

/** The problems of one route, its place left out. */
export const routeProblems = (keys: object): readonly string[] =>
  problems({ routes: [route(keys)] }).map((line) => line.replace(/^routes\[0\]\./, ''))
