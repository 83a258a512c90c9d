import { nearest } from '../../src/config/errors/wording.ts'
import { ACT_ARGS, act, FOR_ARG } from '../api/act.ts'
import { ROUTE_ARG } from '../api/gate-api.ts'
import { command, UsageError } from '../command.ts'

const MODES = ['enforce', 'observe', 'off']

export default command({
  description: 'Set the mode of a route: enforce, observe or off',
  examples: [
    { line: 'mode observe', text: 'of the only route' },
    { line: 'mode off shop --for 10m --note "checkout is broken"', text: 'for a while' },
    { line: 'mode enforce shop --yes', text: 'without a question' },
  ],
  args: {
    mode: { type: 'positional', description: MODES.join(', '), valueHint: 'MODE', required: true },
    ...ROUTE_ARG,
    ...FOR_ARG,
    ...ACT_ARGS,
  },
  async run(args) {
    const { mode } = args
    if (!MODES.includes(mode)) {
      const meant = nearest(mode, MODES)
      const remedy = meant === null ? '' : ` Did you mean "${meant}"?`
      throw new UsageError(`${mode}: expected enforce, observe or off.${remedy}`)
    }
    return await act(
      args.route,
      { action: 'mode', mode },
      (route) => `Set ${route} to ${mode}`,
      args,
    )
  },
})
