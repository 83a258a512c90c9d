import { ACT_ARGS, act } from '../api/act.ts'
import { ROUTE_ARG } from '../api/gate-api.ts'
import { command } from '../command.ts'

export default command({
  description: 'Forget what was learned about an origin, and start again',
  examples: [{ line: 'forget shop --note "new servers"', text: 'after the origin was replaced' }],
  args: {
    ...ROUTE_ARG,
    ...ACT_ARGS,
  },
  async run(args) {
    const what = (route: string) => `Forget what was learned about the origin of ${route}`
    return await act(args.route, { action: 'forget' }, what, args)
  },
})
