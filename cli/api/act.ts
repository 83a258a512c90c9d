import { createInterface } from 'node:readline/promises'
import type { ArgsDef } from 'citty'
import { CliError, type Outcome, UsageError } from '../command.ts'
import { secondsOf, spanText } from '../view/numbers.ts'
import { GATE_ARGS, type GateArgs, gateOf, routeOf } from './gate-api.ts'
import type { AuditShape } from './shapes.ts'

/** Actions of an operator: confirmed, perhaps with an end, and written to the gate's audit log. */

export const ACT_ARGS = {
  note: { type: 'string', description: 'Why, for the audit log', valueHint: 'TEXT' },
  by: { type: 'string', description: 'Who, for the audit log', valueHint: 'NAME' },
  yes: { type: 'boolean', description: 'Do not ask for confirmation', default: false },
  ...GATE_ARGS,
} as const satisfies ArgsDef

export const FOR_ARG = {
  for: { type: 'string', description: 'Ends by itself after 30s, 10m, 2h', valueHint: 'TIME' },
} as const satisfies ArgsDef

export interface ActArgs extends GateArgs {
  readonly note?: string | undefined
  readonly by?: string | undefined
  readonly yes: boolean
  readonly for?: string | undefined
}

export async function act(
  route: string | undefined,
  action: Readonly<Record<string, unknown>>,
  what: (route: string) => string,
  args: ActArgs,
): Promise<Outcome> {
  const forS = args.for === undefined ? null : secondsOf(args.for)
  if (args.for !== undefined && forS === null)
    throw new UsageError(`--for: expected a time such as 30s, 10m or 2h, got "${args.for}".`)
  const gate = gateOf(args)
  const { name } = await routeOf(gate, route)
  const until = forS === null ? '' : ` for ${spanText(forS)}`
  await confirm(`${what(name)}${until}, at ${gate.url}?`, args.yes)
  const body = {
    ...action,
    ...(forS === null ? {} : { forS }),
    ...(args.note === undefined ? {} : { note: args.note }),
  }
  const entry = await gate.post<AuditShape>(
    `/routes/${encodeURIComponent(name)}/actions`,
    body,
    args.by ?? process.env.USER,
  )
  return { text: doneText(entry), json: entry }
}

function doneText({ id, text, untilMs }: AuditShape): string {
  const until = untilMs === null ? '' : ` It ends by itself at ${new Date(untilMs).toISOString()}.`
  return `${text}${until}\nUndo it with: tidegate undo ${id}`
}

/** In a terminal it asks. Elsewhere nobody can answer, so `--yes` is needed. */
export async function confirm(question: string, isSure: boolean): Promise<void> {
  if (isSure) return
  if (process.stdin.isTTY !== true)
    throw new UsageError('Nobody can confirm this here. Add --yes to do it without a question.')
  const asking = createInterface(process.stdin, process.stderr)
  try {
    const answer = await asking.question(`${question} [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was changed.')
  } finally {
    asking.close()
  }
}
