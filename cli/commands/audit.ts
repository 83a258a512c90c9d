import { GATE_ARGS, gateOf } from '../api/gate-api.ts'
import type { AuditShape } from '../api/shapes.ts'
import { command, UsageError } from '../command.ts'

export default command({
  description: 'Show what operators did: who, when, what',
  examples: [{ line: 'audit --limit 10', text: 'the last ten actions' }],
  args: {
    limit: { type: 'string', description: 'How many', valueHint: 'N', default: '20' },
    route: { type: 'string', description: 'Of one route', valueHint: 'ROUTE' },
    ...GATE_ARGS,
  },
  async run(args) {
    if (!/^[1-9]\d*$/.test(args.limit))
      throw new UsageError(`--limit: expected a whole number above 0, got "${args.limit}".`)
    const query = new URLSearchParams({ limit: args.limit })
    if (args.route !== undefined) query.set('route', args.route)
    const { entries } = await gateOf(args).get<{ entries: readonly AuditShape[] }>(
      `/audit?${query}`,
    )
    return { text: entries.map(lineOf).join('\n') || 'Nobody has changed anything.', json: entries }
  },
})

function lineOf({ id, atMs, route, by, text, note }: AuditShape): string {
  const why = note === undefined ? '' : ` (${note})`
  return `${new Date(atMs).toISOString()}  ${id}  ${route}  ${by}  ${text}${why}`
}
