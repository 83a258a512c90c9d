import { COUNTER_NAMES } from './counters.ts'
import { FEEDBACK_VERSION, type Feedback } from './feedback.ts'
import { isFeedback, isSetup } from './feedback-schema.ts'
import { isNeighbour } from './version.ts'

/** Those of a report that have no parts of their own to choose from. */
export const FIELDS: readonly string[] = [
  ...[
    'origin',
    'sender',
    'seq',
    'fromMs',
    'toMs',
    'planIssuedAtMs',
    'asks',
    'confirms',
    'wants',
    'wantsFor',
    'isolates',
    'relays',
  ],
  ...['servers', 'commands', 'tiers'],
]
const ROUTE_FIELDS = ['ages', 'ended', 'samples', 'quality']
export const CLASS_FIELDS: readonly string[] = [
  ...['admits', 'refusals', 'queued', 'places', 'fresh', 'degrades', 'redirects'],
  ...['extraCost', 'latency'],
]

/** A report of this version, or what this version knows of a report of a neighbour; null: it is not valid. */
export function readFeedback(value: unknown): Feedback | null {
  if (isFeedback(value)) return value
  const { version, again } = fieldsOf(value)
  if (!isNeighbour(version, FEEDBACK_VERSION)) return null
  const before = again === undefined ? undefined : knownPart(again)
  const known = { ...knownPart(value), ...(before === undefined ? {} : { again: before }) }
  return isFeedback(known) ? known : null
}

/** A setup that is not understood is left out: what was counted is worth having without it. */
function knownPart(value: unknown): Fields {
  const { setup, routes } = fieldsOf(value)
  return {
    version: FEEDBACK_VERSION,
    ...pick(value, FIELDS),
    ...(isSetup(setup) ? { setup } : {}),
    routes: mapFields(routes, (route) => ({
      ...pick(route, ROUTE_FIELDS),
      classes: mapFields(fieldsOf(route).classes, knownClass),
    })),
  }
}

/** A counter that the sender does not know is 0. */
function knownClass(value: unknown): Fields {
  const fields = fieldsOf(value)
  const counters = COUNTER_NAMES.map((name) => [name, fields[name] ?? 0])
  return { ...Object.fromEntries(counters), ...pick(value, CLASS_FIELDS) }
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

function pick(value: unknown, names: readonly string[]): Fields {
  const fields = fieldsOf(value)
  return Object.fromEntries(
    names.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  )
}

const mapFields = (value: unknown, map: (value: unknown) => Fields): Fields =>
  Object.fromEntries(Object.entries(fieldsOf(value)).map(([key, one]) => [key, map(one)]))
