import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { LogImport } from '../../src/coordinator/capacity/import-log.ts'
import { GATE_ARGS, gateOf, ROUTE_ARG, routeOf } from '../api/gate-api.ts'
import { CliError, command } from '../command.ts'

/** The history that is kept. */
const MOST_HOURS = 28 * 24
const IDLE_MS = 1_800_000

export default command({
  description: 'Give the arrivals of an access log to the prediction of capacity',
  examples: [
    { line: 'capacity-import access.log', text: 'in the Common or Combined Log Format' },
    { line: 'capacity-import access.log shop', text: 'for the origin of this route' },
  ],
  args: {
    file: { type: 'positional', description: 'Access log', valueHint: 'FILE', required: true },
    ...ROUTE_ARG,
    ...GATE_ARGS,
  },
  async run(args) {
    if (!existsSync(args.file)) throw new CliError(`${args.file}: there is no such file.`)
    const gate = gateOf(args)
    const { name, granularity } = await routeOf(gate, args.route)
    const log = new LogImport({ unit: granularity, idleMs: IDLE_MS })
    for await (const line of createInterface({ input: createReadStream(args.file) })) log.add(line)
    const { hours, lines, skipped } = log.result()
    if (lines === 0)
      throw new CliError(`${args.file}: no line has the Common or Combined Log Format.`)
    const kept = hours.toSorted((a, b) => a.hour - b.hour).slice(-MOST_HOURS)
    await gate.post(`/routes/${encodeURIComponent(name)}/capacity/history`, { hours: kept })
    const json = { route: name, hours: kept.length, lines, skipped }
    const left = skipped > 0 ? `, ${skipped} skipped` : ''
    return { text: `${name}: ${kept.length} hours from ${lines} lines${left}.`, json }
  },
})
