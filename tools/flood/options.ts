import { parseArgs } from 'node:util'
import { unknownOption } from '../known-options.ts'
import { targetProblem } from './target.ts'

/** Options of the flood. These tables are the only place of all defaults, ranges and texts. */

interface NumberRule {
  readonly default: number
  readonly above?: number
  readonly min?: number
  readonly max: number
  readonly whole?: true
  readonly text: string
}

export const NUMBERS = {
  surge: {
    default: 10,
    above: 0,
    max: 100,
    text: 'load in the surge, as a multiple of the capacity',
  },
  seconds: { default: 60, min: 1, max: 600, text: 'length of a run; its first fifth is calm' },
  'sla-ms': { default: 1000, above: 0, max: 60_000, text: 'response time within the SLA' },
  'think-ms': { default: 1000, min: 0, max: 60_000, text: 'mean time between pages of a session' },
  'patience-ms': {
    default: 3000,
    above: 0,
    max: 60_000,
    text: 'time after which a visitor gives up',
  },
  seed: {
    default: 1,
    min: 0,
    max: 2 ** 31 - 1,
    whole: true,
    text: 'the same seed gives the same crowd',
  },
} as const satisfies Record<string, NumberRule>

const RATE = { above: 0, max: 10_000, text: 'capacity of the origin in requests/s' } as const

const ADDRESSES = {
  target: { default: 'http://127.0.0.1:8787', text: 'address to flood: a gate or an origin' },
  origin: { default: 'http://127.0.0.1:8788', text: 'the demo origin behind the gate' },
} as const

const PATHS = 'pages of another site than the demo shop; any answer with 2xx is a page'
const PICTURE = 'write the result as an SVG picture to this file'

const FLAGS = {
  compare: 'flood the origin directly first, then the gate',
  retry: 'refused visitors come back after Retry-After, at most three times',
  json: 'print the result as JSON',
  help: 'print this',
} as const

/** Above this rate the generator would be measured, not the gate. */
export const MOST_REQUESTS_PER_SECOND = 20_000

export interface FloodOptions {
  readonly target: string
  readonly origin: string
  /** null: ask the demo origin. */
  readonly rate: number | null
  readonly surge: number
  readonly seconds: number
  readonly slaMs: number
  readonly thinkMs: number
  readonly patienceMs: number
  readonly seed: number
  readonly compare: boolean
  readonly retry: boolean
  readonly json: boolean
  readonly picture: string | null
  /** null: the demo shop's own, or "/" where no demo shop answers. */
  readonly paths: readonly string[] | null
}

type Request =
  | { readonly kind: 'run'; readonly options: FloodOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'problems'; readonly problems: readonly string[] }

/** Reads the command line; reports all problems at once. */
export function readOptions(args: readonly string[]): Request {
  const { values, positionals } = parse(args)
  if (values.help === true) return { kind: 'help' }
  const problems = positionals.map((word) => `${word}: expected an option, such as --surge 10`)
  const number = (name: string, rule: Omit<NumberRule, 'default'>, standard: number): number => {
    const given = values[name]
    if (given === undefined) return standard
    const problem = numberProblem(given, rule)
    if (problem !== null) problems.push(`--${name}: ${problem}`)
    return Number(given)
  }
  const address = (name: keyof typeof ADDRESSES): string => {
    const given = values[name] ?? ADDRESSES[name].default
    const problem = targetProblem(typeof given === 'string' ? given : '')
    if (problem !== null) problems.push(`--${name}: ${problem}`)
    return URL.parse(String(given))?.origin ?? ''
  }
  const standard = (name: keyof typeof NUMBERS) =>
    number(name, NUMBERS[name], NUMBERS[name].default)
  for (const name of Object.keys(values))
    if (!KNOWN.has(name)) problems.push(unknownOption(`--${name}`, [...KNOWN]))
  for (const name of Object.keys(FLAGS))
    if (typeof values[name] === 'string') problems.push(`--${name}: takes no value`)
  const options = {
    target: address('target'),
    origin: address('origin'),
    rate: values.rate === undefined ? null : number('rate', RATE, 0),
    surge: standard('surge'),
    seconds: standard('seconds'),
    slaMs: standard('sla-ms'),
    thinkMs: standard('think-ms'),
    patienceMs: standard('patience-ms'),
    seed: standard('seed'),
    compare: values.compare === true,
    retry: values.retry === true,
    json: values.json === true,
    picture: typeof values.picture === 'string' ? values.picture : null,
    paths: typeof values.paths === 'string' ? values.paths.split(',') : null,
  }
  if (values.picture === true || values.picture === '')
    problems.push('--picture: expected the name of a file, got nothing')
  if (values.paths !== undefined && !options.paths?.every((path) => /^\/[^\s]*$/.test(path)))
    problems.push(`--paths: expected paths such as /,/news?page=2, got ${shown(values.paths)}`)
  if (options.compare && options.target === options.origin)
    problems.push('--compare: target and origin are the same, so there is nothing to compare')
  return problems.length > 0 ? { kind: 'problems', problems } : { kind: 'run', options }
}

const shown = (given: unknown): string => (typeof given === 'string' ? `"${given}"` : 'nothing')

export function loadProblem(capacityPerSecond: number, surge: number): string | null {
  const load = capacityPerSecond * surge
  if (load <= MOST_REQUESTS_PER_SECOND) return null
  return (
    `${surge} times ${capacityPerSecond} requests/s are ${load} requests/s, but ` +
    `the maximum is ${MOST_REQUESTS_PER_SECOND}. Lower --surge or --rate`
  )
}

export function helpText(): string {
  const line = (left: string, text: string) => `  ${left.padEnd(24)}${text}`
  return [
    'Floods the demo shop, or any site on this machine, with a flash crowd: npm run flood -- [options]',
    '',
    ...Object.entries(ADDRESSES).map(([name, { default: standard, text }]) =>
      line(`--${name} URL`, `${text} (${standard})`),
    ),
    line('--rate N', `${RATE.text} (the demo origin's own figure)`),
    ...Object.entries(NUMBERS).map(([name, { default: standard, text }]) =>
      line(`--${name} N`, `${text} (${standard})`),
    ),
    line('--paths /A,/B', PATHS),
    line('--picture FILE', PICTURE),
    ...Object.entries(FLAGS).map(([name, text]) => line(`--${name}`, text)),
  ].join('\n')
}

const KNOWN = new Set([
  'rate',
  'paths',
  'picture',
  ...Object.keys(NUMBERS),
  ...Object.keys(ADDRESSES),
  ...Object.keys(FLAGS),
])

function parse(args: readonly string[]) {
  const text = (name: string) => [name, { type: 'string' }] as const
  const flag = (name: string) => [name, { type: 'boolean' }] as const
  const flags = Object.keys(FLAGS)
  const withValue = [...KNOWN].filter((name) => !flags.includes(name))
  const options = Object.fromEntries([...withValue.map(text), ...flags.map(flag)])
  // Strict parsing would stop at the first problem.
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true })
}

function numberProblem(
  given: unknown,
  { above, min, max, whole }: Omit<NumberRule, 'default'>,
): string | null {
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : Number.NaN
  const low = above !== undefined ? value > above : value >= min!
  if (low && value <= max && (!whole || Number.isInteger(value))) return null
  const kind = whole ? 'a whole number' : 'a number'
  const from = above !== undefined ? `above ${above}` : `from ${min}`
  return `expected ${kind} ${from} to ${max}, got ${shown(given)}`
}
