import { basename } from 'node:path'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { GATE_ARGS, type GateArgs, gateOf, ROUTE_ARG, routeOf } from '../api/gate-api.ts'
import type { HistoryShape, Point } from '../api/shapes.ts'
import { CliError, command, type Outcome, UsageError } from '../command.ts'
import { readAccessLog } from '../report/access-log.ts'
import { type Interval, predict } from '../report/prediction.ts'
import { periodsOf, type ReportFacts, reportText } from '../report/report-text.ts'

const RANGES = ['hour', 'day', 'quarter']
const GRANULARITIES = ['session', 'request'] as const

export default command({
  description:
    'Report what the gate would have done: from its time in observe, or from an access log',
  examples: [
    { line: 'report', text: 'the last day of the only route' },
    { line: 'report shop --range quarter', text: 'the last 90 days, hour by hour' },
    { line: 'report --log access.log --target-ms 800', text: 'before anything is deployed' },
    {
      line: 'report --log access.log --capacity 120',
      text: 'if you know what the origin can serve',
    },
  ],
  args: {
    ...ROUTE_ARG,
    range: { type: 'string', description: RANGES.join(', '), valueHint: 'RANGE', default: 'day' },
    log: {
      type: 'string',
      description: 'An access log: Common or Combined Log Format, or JSON lines',
      valueHint: 'FILE',
    },
    'target-ms': {
      type: 'string',
      description: "Response time to hold; with a gate, the route's own",
      valueHint: 'N',
    },
    capacity: { type: 'string', description: 'Requests per second of the origin', valueHint: 'N' },
    granularity: {
      type: 'string',
      description: 'With --log: session or request',
      valueHint: 'WORD',
      default: DEFAULTS.granularity,
    },
    ...GATE_ARGS,
  },
  async run(args) {
    const given = {
      targetMs: amountOf('target-ms', args['target-ms']),
      capacity: amountOf('capacity', args.capacity),
    }
    return args.log === undefined
      ? await fromGate(args, given)
      : await fromLog(args.log, args.granularity, given)
  },
})

interface Given {
  readonly targetMs: number | undefined
  readonly capacity: number | undefined
}

async function fromGate(
  args: GateArgs & { readonly route?: string | undefined; readonly range: string },
  given: Given,
): Promise<Outcome> {
  if (!RANGES.includes(args.range))
    throw new UsageError(`--range: expected ${RANGES.join(', ')}, got "${args.range}".`)
  const gate = gateOf(args)
  const { name, granularity, mode } = await routeOf(gate, args.route)
  const path = `/routes/${encodeURIComponent(name)}/history?range=${args.range}`
  const { points } = await gate.get<HistoryShape>(path)
  const refused = points.reduce((sum, one) => sum + one.refused * one.seconds, 0)
  const notes = [
    ...(refused > 0 ? [REALLY_REFUSED] : []),
    ...(mode === 'observe' ? [] : [`The route is in mode ${mode} now.`]),
  ]
  const counted = points.reduce((sum, one) => sum + one.wouldRefuse * one.seconds, 0)
  // The route's target may change with the arrival rate.
  const intervals = points.map((point) =>
    given.targetMs === undefined
      ? { ...intervalOf(point), targetMs: point.targetMs }
      : intervalOf(point),
  )
  return outcomeOf(intervals, given, {
    title: `${name}: what would have happened, from the history of ${gate.url}`,
    granularity,
    targetMs: given.targetMs ?? points.at(-1)?.targetMs ?? DEFAULTS.sla.targetMs,
    counted,
    notes,
  })
}

const REALLY_REFUSED =
  'A part of this time was not in observe: visitors were really refused, so the figures are too low.'

function intervalOf({
  atMs,
  seconds,
  offered,
  requests,
  served,
  withinTarget,
  p95Ms,
}: Point): Interval {
  // The history names the end of a point, and the report its beginning.
  return {
    atMs: atMs - 1000 * seconds,
    seconds,
    asked: offered,
    requests,
    served,
    inTime: withinTarget,
    p95Ms,
  }
}

async function fromLog(file: string, word: string, given: Given): Promise<Outcome> {
  const granularity = GRANULARITIES.find((one) => one === word)
  if (granularity === undefined)
    throw new UsageError(`--granularity: expected session or request, got "${word}".`)
  const targetMs = given.targetMs ?? DEFAULTS.sla.targetMs
  const { idleMs } = DEFAULTS.session
  const log = await readAccessLog(file, { granularity, targetMs, idleMs })
  const isBlind = !log.hasTimes && given.capacity === undefined
  const notes = [
    'Every line of the log is a request that reaches the origin. Remove what a cache answers.',
    ...(granularity === 'session'
      ? [
          `A visitor is an address with its user agent, and a visit ends after ${idleMs / 60_000} minutes.`,
        ]
      : []),
    ...(log.unreadable > 0 ? [`${log.unreadable} of ${log.lines} lines could not be read.`] : []),
    ...(isBlind ? [NO_TIMES] : []),
  ]
  return outcomeOf(log.intervals, given, {
    title: `${basename(file)}: what would have happened`,
    granularity,
    targetMs,
    counted: null,
    notes,
  })
}

const NO_TIMES =
  'The log has no response times, so only errors (5xx) show an overload. Log them (nginx: $request_time, Apache: %D), or give --capacity.'

function outcomeOf(
  intervals: readonly Interval[],
  { capacity }: Given,
  facts: ReportFacts,
): Outcome {
  if (intervals.length === 0)
    throw new CliError('There is no history yet: nothing has been reported to the coordinator.')
  const { granularity, targetMs } = facts
  const options = { granularity, targetMs, ...(capacity === undefined ? {} : { capacity }) }
  const prediction = predict(intervals, options)
  const { intervals: minutes, ...figures } = prediction
  return {
    text: reportText(prediction, facts),
    json: {
      ...figures,
      targetMs,
      counted: facts.counted,
      periods: periodsOf(minutes),
      notes: facts.notes,
      intervals: minutes,
    },
  }
}

function amountOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new UsageError(`--${option}: expected a number above 0, got "${text}".`)
}
