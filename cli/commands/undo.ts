import { ACT_ARGS, confirm } from '../api/act.ts'
import { gateOf, ROUTE_ARG, routeOf } from '../api/gate-api.ts'
import type { AuditShape } from '../api/shapes.ts'
import { command } from '../command.ts'

export default command({
  description: 'Undo an action of an operator',
  examples: [
    { line: 'undo 7f3a9c shop', text: 'the id is in "tidegate status" and "tidegate audit"' },
  ],
  args: {
    id: { type: 'positional', description: 'Id of the action', valueHint: 'ID', required: true },
    ...ROUTE_ARG,
    ...ACT_ARGS,
  },
  async run(args) {
    const gate = gateOf(args)
    const { name } = await routeOf(gate, args.route)
    await confirm(`Undo ${args.id} of ${name}, at ${gate.url}?`, args.yes)
    const path = `/routes/${encodeURIComponent(name)}/actions/${encodeURIComponent(args.id)}`
    const entry = await gate.delete<AuditShape>(path, args.by ?? process.env.USER)
    return { text: entry.text, json: entry }
  },
})
