import { parseArgs } from 'node:util'
import { nearest } from '../../src/config/errors/wording.ts'
import { unknownOption } from '../known-options.ts'
import { GROUPS } from './cases.ts'
import type { TrialCase } from './trial-case.ts'

/** Options of the trials. */

export const SECONDS = { min: 10, max: 600 } as const
const MOST_SEED = 2 ** 31 - 1
const DEFAULT_SEED = 1

interface TrialRun {
  readonly cases: readonly TrialCase[]
  /** null: each case in its own length. */
  readonly seconds: number | null
  readonly seed: number
  readonly json: boolean
}

type Request =
  | { readonly kind: 'run'; readonly run: TrialRun }
  | { readonly kind: 'list' }
  | { readonly kind: 'help' }
  | { readonly kind: 'problems'; readonly problems: readonly string[] }

const OPTIONS = {
  json: { type: 'boolean' },
  list: { type: 'boolean' },
  help: { type: 'boolean' },
  seconds: { type: 'string' },
  seed: { type: 'string' },
} as const

/** Reads the command line; reports all problems at once. */
export function readTrialOptions(args: readonly string[]): Request {
  // Strict parsing would stop at the first problem.
  const { values, positionals } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
  })
  if (values.help === true) return { kind: 'help' }
  const unknown = Object.keys(values).filter((name) => !(name in OPTIONS))
  const problems = unknown.map((name) => unknownOption(`--${name}`, Object.keys(OPTIONS)))
  for (const name of ['json', 'list', 'help'] as const)
    if (typeof values[name] === 'string') problems.push(`--${name}: takes no value`)
  const whole = (name: 'seconds' | 'seed', min: number, max: number): number | null => {
    const given = values[name]
    if (given === undefined) return null
    const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : Number.NaN
    if (!(Number.isInteger(value) && value >= min && value <= max)) {
      const got = given === true ? 'nothing' : `"${given}"`
      problems.push(`--${name}: expected a whole number from ${min} to ${max}, got ${got}`)
    }
    return value
  }
  const seconds = whole('seconds', SECONDS.min, SECONDS.max)
  const seed = whole('seed', 0, MOST_SEED) ?? DEFAULT_SEED
  // After an unknown option, a word may be its value.
  const cases = unknown.length > 0 ? [] : casesOf(positionals, problems)
  if (problems.length > 0) return { kind: 'problems', problems }
  if (values.list === true) return { kind: 'list' }
  return { kind: 'run', run: { cases, seconds, seed, json: values.json === true } }
}

/** The cases and groups of these names, each case once; without names, the first group. */
function casesOf(names: readonly string[], problems: string[]): readonly TrialCase[] {
  const all = GROUPS.flatMap(({ cases }) => cases)
  const known = [...GROUPS.map(({ name }) => name), ...all.map(({ name }) => name)]
  const chosen = names.length > 0 ? names : [GROUPS[0]!.name]
  const found = chosen.flatMap((name) => {
    const group = GROUPS.find((other) => other.name === name)
    const cases = group?.cases ?? all.filter((trial) => trial.name === name)
    if (cases.length > 0) return cases
    const meant = nearest(name, known)
    const remedy = meant === null ? '--list prints all.' : `Did you mean ${meant}?`
    problems.push(`${name}: there is no such trial. ${remedy}`)
    return []
  })
  return [...new Set(found)]
}

export function trialHelp(): string {
  const line = (left: string, text: string) => `  ${left.padEnd(16)}${text}`
  return [
    'Trials in the real runtime, on this machine: npm run trial -- [NAME …] [options]',
    '',
    line('NAME', `trials or groups of trials (${GROUPS[0]!.name}: all of its trials)`),
    line('--seconds N', 'length of each trial; all its times change with it'),
    line('--seed N', `the same seed gives the same crowd (${DEFAULT_SEED})`),
    line('--json', 'print the results as JSON'),
    line('--list', 'print the trials'),
    line('--help', 'print this'),
  ].join('\n')
}
