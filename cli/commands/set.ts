import { nearest } from '../../src/config/errors/wording.ts'
import { ACT_ARGS, act, FOR_ARG } from '../api/act.ts'
import { ROUTE_ARG } from '../api/gate-api.ts'
import { command, UsageError } from '../command.ts'

/** What can be set, and the action that sets it. */
const KEYS: Readonly<Record<string, (value: number, name: string | null) => object>> = {
  limit: (limit) => ({ action: 'limit', limit }),
  target: (targetMs) => ({ action: 'target', targetMs }),
  value: (value, name) => ({ action: 'value', class: name, value }),
  guaranteed: (guaranteed, name) => ({ action: 'guaranteed', class: name, guaranteed }),
}
const OF_CLASS = ['value', 'guaranteed']

export default command({
  description: "Set a route's limit, target, or a class's value or guaranteed rate",
  examples: [
    { line: 'set limit 50 shop --for 10m', text: 'at most 50 new sessions per second' },
    { line: 'set target 800', text: 'milliseconds' },
    { line: 'set value members=20', text: 'of a class' },
    { line: 'set guaranteed partners=5', text: 'per second' },
  ],
  args: {
    key: {
      type: 'positional',
      description: Object.keys(KEYS).join(', '),
      valueHint: 'KEY',
      required: true,
    },
    value: {
      type: 'positional',
      description: 'A number, or CLASS=NUMBER',
      valueHint: 'VALUE',
      required: true,
    },
    ...ROUTE_ARG,
    ...FOR_ARG,
    ...ACT_ARGS,
  },
  async run(args) {
    const { key, value } = args
    const action = actionOf(key, value)
    return await act(args.route, action, (route) => `Set ${key} of ${route} to ${value}`, args)
  },
})

function actionOf(key: string, text: string): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(KEYS, key)) {
    const meant = nearest(key, Object.keys(KEYS))
    const remedy = meant === null ? '' : ` Did you mean "${meant}"?`
    throw new UsageError(`${key}: expected ${Object.keys(KEYS).join(', ')}.${remedy}`)
  }
  const [, name = null, digits] = /^(?:([\w.-]+)=)?(\d+(?:\.\d+)?)$/.exec(text) ?? []
  const needsClass = OF_CLASS.includes(key)
  if (digits === undefined || needsClass !== (name !== null)) {
    const form = needsClass
      ? `CLASS=NUMBER, such as ${key} members=5`
      : `a number, such as ${key} 50`
    throw new UsageError(`${key}: expected ${form}, got "${text}".`)
  }
  return KEYS[key]!(Number(digits), name) as Readonly<Record<string, unknown>>
}
