import { ACT_ARGS, confirm } from '../api/act.ts'
import { type GateApi, gateOf, routeOf } from '../api/gate-api.ts'
import type { AuditShape } from '../api/shapes.ts'
import { command, type Outcome, UsageError } from '../command.ts'

interface RoomEvent {
  readonly name: string
  readonly source: 'config' | 'operator'
  readonly opensMs: number | null
  readonly closesMs: number | null
  readonly reopensMs: number | null
}

const VERBS = ['list', 'set', 'delete'] as const
const TIME = { type: 'string', valueHint: 'TIME' } as const

export default command({
  description: 'List, make, change or delete events of a waiting room',
  examples: [
    {
      line: 'event set sale shop --opens 2026-11-27T10:00 --zone Europe/Berlin',
      text: 'opens then, in random order of all who came before',
    },
    { line: 'event set night shop --closes 2026-11-27T22:00Z', text: 'shows that it is closed' },
    { line: 'event list shop', text: 'of the configuration and of operators' },
    { line: 'event delete sale shop', text: 'one that an operator made' },
  ],
  args: {
    verb: {
      type: 'positional',
      description: VERBS.join(', '),
      valueHint: 'VERB',
      required: true,
    },
    name: {
      type: 'positional',
      description: 'Name of the event; for list, of the route',
      valueHint: 'NAME',
      required: false,
    },
    route: {
      type: 'positional',
      description: 'Name of a route',
      valueHint: 'ROUTE',
      required: false,
    },
    opens: { ...TIME, description: 'When it opens' },
    closes: { ...TIME, description: 'When it closes' },
    reopens: { ...TIME, description: 'Until when it is closed' },
    zone: { type: 'string', description: 'Zone of times without an offset', valueHint: 'ZONE' },
    ...ACT_ARGS,
  },
  async run(args) {
    const { verb, name } = args
    const gate = gateOf(args)
    if (verb === 'list') return await list(gate, name)
    if (verb !== 'set' && verb !== 'delete')
      throw new UsageError(`event: expected ${VERBS.join(', ')}, got "${verb}".`)
    if (name === undefined) throw new UsageError(`event ${verb}: expected the name of an event.`)
    const route = (await routeOf(gate, args.route)).name
    const path = `${pathOf(route)}/${encodeURIComponent(name)}`
    const by = args.by ?? process.env.USER
    const doing = verb === 'set' ? 'Set' : 'Delete'
    await confirm(`${doing} the event ${name} of ${route}, at ${gate.url}?`, args.yes)
    const { opens, closes, reopens, zone } = args
    const entry =
      verb === 'set'
        ? await gate.put<AuditShape>(path, { opens, closes, reopens, zone }, by)
        : await gate.delete<AuditShape>(path, by)
    return { text: entry.text, json: entry }
  },
})

const pathOf = (route: string): string => `/routes/${encodeURIComponent(route)}/waiting-room/events`

async function list(gate: GateApi, asked: string | undefined): Promise<Outcome> {
  const { name } = await routeOf(gate, asked)
  const { events } = await gate.get<{ events: readonly RoomEvent[] }>(pathOf(name))
  return { text: events.map(lineOf).join('\n') || 'There are no events.', json: events }
}

function lineOf({ name, source, opensMs, closesMs, reopensMs }: RoomEvent): string {
  const times = Object.entries({ opens: opensMs, closes: closesMs, reopens: reopensMs })
    .filter(([, ms]) => ms !== null)
    .map(([word, ms]) => `${word} ${new Date(ms!).toISOString()}`)
  return `${name}  ${source}  ${times.join('  ')}`
}
