import { GATE_ARGS, gateOf, ROUTE_ARG, routeOf } from '../api/gate-api.ts'
import { command } from '../command.ts'
import { statusText } from '../view/status-text.ts'

export default command({
  description: 'Show what the gate does now: one route, or all',
  examples: [
    { line: 'status', text: 'the gate that "tidegate dev" runs in this folder' },
    { line: 'status shop --url https://shop.example.com --token …', text: 'a deployed gate' },
    { line: "status --json | jq '.[].now.limit'", text: 'for a script' },
  ],
  args: {
    ...ROUTE_ARG,
    ...GATE_ARGS,
  },
  async run(args) {
    const gate = gateOf(args)
    const routes =
      args.route === undefined ? await gate.routes() : [await routeOf(gate, args.route)]
    return {
      text: routes.map(statusText).join('\n\n'),
      json: args.route === undefined ? routes : routes[0],
    }
  },
})
