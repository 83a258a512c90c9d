import { ACT_ARGS, act, FOR_ARG } from '../api/act.ts'
import { ROUTE_ARG } from '../api/gate-api.ts'
import { command, UsageError } from '../command.ts'

export default command({
  description: 'Announce that the capacity of an origin changes',
  examples: [
    { line: 'capacity 4 8', text: 'from 4 servers to 8: what was learned is scaled by 2' },
    { line: 'capacity 4 3 shop --for 30m', text: 'one server is out for half an hour' },
  ],
  args: {
    before: {
      type: 'positional',
      description: 'Capacity before, in any unit',
      valueHint: 'BEFORE',
      required: true,
    },
    after: {
      type: 'positional',
      description: 'Capacity after, in the same unit',
      valueHint: 'AFTER',
      required: true,
    },
    ...ROUTE_ARG,
    ...FOR_ARG,
    ...ACT_ARGS,
  },
  async run(args) {
    const [before, after] = [amountOf('BEFORE', args.before), amountOf('AFTER', args.after)]
    return await act(
      args.route,
      { action: 'capacity', before, after },
      (route) => `Announce that the capacity behind ${route} goes from ${before} to ${after}`,
      args,
    )
  },
})

function amountOf(name: string, text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value > 0 && Number.isFinite(value)) return value
  throw new UsageError(`${name}: expected a number above 0, such as servers, got "${text}".`)
}
