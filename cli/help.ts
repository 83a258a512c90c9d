import type { ArgDef } from 'citty'
import type { CliCommand } from './command.ts'
import type { Commands } from './commands.ts'

/** The order in which a newcomer needs them. Others follow by name. */
const ORDER = ['init', 'check', 'dev', 'deploy', 'status', 'watch', 'explain', 'mode', 'capacity']

const HEAD = `Tidegate: admission control for origins behind a CDN.

Usage: tidegate COMMAND [OPTIONS]
`

const TAIL = `
"tidegate COMMAND --help" shows options and examples. Every command takes --json.

Commands that talk to a gate find it by --url or TIDEGATE_URL, and the token by --token, TIDEGATE_ADMIN_TOKEN or .dev.vars.
Without them they use the gate that "tidegate dev" runs in this folder.

Exit codes: 0 it worked, 1 it did not, 2 the command line is wrong, 3 the gate cannot be reached or refuses the token.`

export async function mainHelp({ names, load }: Commands): Promise<string> {
  const rank = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length)
  const sorted = names.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  const width = Math.max(...names.map((name) => name.length))
  const lines = await Promise.all(
    sorted.map(async (name) => `  ${name.padEnd(width)}  ${(await load(name)).description}`),
  )
  return [HEAD, ...lines, TAIL].join('\n')
}

export function commandHelp(name: string, { description, args, examples }: CliCommand): string {
  const all = Object.entries(args)
  const places = all.filter(([, { type }]) => type === 'positional')
  const options = all.filter(([, { type }]) => type !== 'positional')
  const placeNames = places.map(([key, one]) =>
    isNeeded(one) ? label(key, one) : `[${label(key, one)}]`,
  )
  return [
    `${description}.`,
    '',
    `Usage: ${['tidegate', name, ...placeNames, '[OPTIONS]'].join(' ')}`,
    ...section('Arguments', places),
    ...section('Options', options),
    '',
    'Examples:',
    ...columns(examples.map(({ line, text }) => [`tidegate ${line}`, text])),
  ].join('\n')
}

function section(title: string, args: readonly (readonly [string, ArgDef])[]): readonly string[] {
  if (args.length === 0) return []
  const rows = args.map(([key, one]) => {
    const standard = one.default === undefined || one.default === false ? '' : ` (${one.default})`
    return [label(key, one), `${one.description ?? ''}${standard}`] as const
  })
  return ['', `${title}:`, ...columns(rows)]
}

const isNeeded = ({ required, default: standard }: ArgDef): boolean =>
  required !== false && standard === undefined

function label(key: string, { type, valueHint }: ArgDef): string {
  const hint = valueHint ?? key.toUpperCase()
  if (type === 'positional') return hint
  return type === 'boolean' ? `--${key}` : `--${key} ${hint}`
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`.trimEnd())
}
