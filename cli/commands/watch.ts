import { setTimeout as pause } from 'node:timers/promises'
import { GATE_ARGS, gateOf, ROUTE_ARG, routeOf } from '../api/gate-api.ts'
import type { Status } from '../api/shapes.ts'
import { CliError, command, EXIT, UsageError } from '../command.ts'
import { Screen } from '../view/screen.ts'
import { watchLine, watchView } from '../view/watch-view.ts'

const MOST_VALUES = 60

export default command({
  description: 'Watch the gate live: a view in a terminal, lines in a pipe',
  examples: [
    { line: 'watch', text: 'all routes; q ends it' },
    { line: 'watch shop --every 5', text: 'one route, every five seconds' },
    { line: 'watch --json --count 60 > minute.ndjson', text: 'one JSON document per line' },
  ],
  args: {
    ...ROUTE_ARG,
    every: {
      type: 'string',
      description: 'Seconds between two looks',
      valueHint: 'S',
      default: '1',
    },
    count: { type: 'string', description: 'End after this many looks', valueHint: 'N' },
    ...GATE_ARGS,
  },
  async run(args, output) {
    const everyMs = 1000 * amountOf('every', args.every)
    const count =
      args.count === undefined ? Number.POSITIVE_INFINITY : amountOf('count', args.count)
    const gate = gateOf(args)
    const look = async (): Promise<readonly Status[]> =>
      args.route === undefined ? gate.routes() : [await routeOf(gate, args.route)]
    const recent = new Map<string, number[]>()
    const screen = output.isTerminal && !args.json ? new Screen(output) : null
    try {
      for (let i = 0; i < count && screen?.isClosed !== true; i++) {
        if (i > 0)
          await pause(everyMs, undefined, { signal: screen?.signal }).catch(() => undefined)
        if (screen?.isClosed) break
        const routes = await orLost(look, screen)
        if (routes === null) continue
        remember(recent, routes)
        if (args.json) output.write(`${JSON.stringify({ atMs: Date.now(), routes })}\n`)
        else if (screen === null)
          output.write(`${routes.map((one) => watchLine(one, new Date())).join('\n')}\n`)
        else screen.show(watchView(routes, recent, gate.url, new Date()))
      }
    } finally {
      screen?.close()
    }
    return null
  },
})

/** A view stays open while the gate is away for a moment. In a pipe the command ends. */
async function orLost(
  look: () => Promise<readonly Status[]>,
  screen: Screen | null,
): Promise<readonly Status[] | null> {
  try {
    return await look()
  } catch (error) {
    const isAway = error instanceof CliError && error.exitCode === EXIT.noGate
    if (screen === null || !isAway || !screen.hasShown) throw error
    screen.note(error.message)
    return null
  }
}

function remember(recent: Map<string, number[]>, routes: readonly Status[]): void {
  for (const { name, now } of routes) {
    const values = [...(recent.get(name) ?? []), now?.admitted ?? 0]
    recent.set(name, values.slice(-MOST_VALUES))
  }
}

function amountOf(option: string, text: string): number {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new UsageError(`--${option}: expected a number above 0, got "${text}".`)
}
