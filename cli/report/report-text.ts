import { msText, percent, rateText, spanText } from '../view/numbers.ts'
import { type PredictedInterval, type Prediction, USABLE_PART } from './prediction.ts'

/** A time in which visitors would have been refused. */
export interface Period {
  readonly fromMs: number
  readonly toMs: number
  readonly asked: number
  readonly admitted: number
  /** Visitors, not a rate. */
  readonly refused: number
}

/** Refusals that are at most this far apart are one period. */
const GAP_MS = 5 * 60_000

export function periodsOf(intervals: readonly PredictedInterval[]): readonly Period[] {
  const groups: PredictedInterval[][] = []
  for (const one of intervals.filter(({ refused, asked }) => refused > 0.01 * asked)) {
    const last = groups.at(-1)
    const previous = last?.at(-1)
    if (previous !== undefined && one.atMs - previous.atMs <= GAP_MS + 1000 * previous.seconds)
      last!.push(one)
    else groups.push([one])
  }
  return groups.map((group) => {
    const seconds = group.reduce((sum, one) => sum + one.seconds, 0)
    const sum = (of: (one: PredictedInterval) => number) =>
      group.reduce((total, one) => total + of(one) * one.seconds, 0)
    const { atMs, seconds: lastS } = group.at(-1)!
    return {
      fromMs: group[0]!.atMs,
      toMs: atMs + 1000 * lastS,
      asked: sum(({ asked }) => asked) / seconds,
      admitted: sum(({ admitted }) => admitted) / seconds,
      refused: sum(({ refused }) => refused),
    }
  })
}

export interface ReportFacts {
  readonly title: string
  readonly granularity: 'session' | 'request'
  readonly targetMs: number
  /** What the gate itself would have refused, draw by draw; null: it did not watch. */
  readonly counted: number | null
  readonly notes: readonly string[]
}

const MOST_PERIODS = 12

export function reportText(prediction: Prediction, facts: ReportFacts): string {
  const { intervals, asked, refused } = prediction
  const visitors = facts.granularity === 'session' ? 'visitors' : 'requests'
  if (intervals.length === 0) return `${facts.title}\n\n  Nothing was measured.`
  const from = intervals[0]!.atMs
  const last = intervals.at(-1)!
  const periods = periodsOf(intervals)
  const rows: (readonly [string, string])[] = [
    ['measured', `${timeText(from)} to ${timeText(last.atMs + 1000 * last.seconds)} UTC`],
    [`${visitors} that came`, amount(asked)],
    ['would have been refused', refusedText(refused, asked, periods)],
    ['over the target without the gate', spanText(prediction.secondsOverTarget)],
    ['response times (p95)', timesText(prediction, facts)],
    ['capacity', capacityText(prediction)],
  ]
  if (facts.counted !== null)
    rows.push(['counted by the gate itself', `${amount(facts.counted)} refusals while it observed`])
  const width = Math.max(...rows.map(([label]) => label.length))
  return [
    facts.title,
    '',
    ...rows.map(([label, text]) => `  ${label.padEnd(width)}   ${text}`),
    ...periodLines(periods, visitors),
    '',
    '  Assumptions:',
    ...assumptionsOf(prediction, facts).map((line) => `  - ${line}`),
  ].join('\n')
}

const amount = (value: number): string => Math.round(value).toLocaleString('en-US')
const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

function refusedText(refused: number, asked: number, periods: readonly Period[]): string {
  if (periods.length === 0) return 'nobody'
  const times = periods.length === 1 ? 'in one period' : `in ${periods.length} periods`
  return `${amount(refused)} (${percent(refused / asked)}), ${times}`
}

function timesText({ p95Ms, secondsOverTarget }: Prediction, { targetMs }: ReportFacts): string {
  if (p95Ms.measured === null) return 'not known'
  const measured = `${msText(p95Ms.measured)} measured`
  if (secondsOverTarget === 0) return `${measured}, always within the target of ${msText(targetMs)}`
  return `${measured}, about ${msText(p95Ms.predicted)} with the gate (target ${msText(targetMs)})`
}

function capacityText({ capacity, capacitySource, busiest }: Prediction): string {
  if (capacity === null)
    return `at least ${rateText(busiest)} requests: the origin was never over the target`
  const source = {
    given: 'as given',
    'in-time': 'the busiest minutes within the target',
    throughput: `${percent(USABLE_PART)} of its highest throughput`,
    unknown: '',
  }[capacitySource]
  return `${rateText(capacity)} requests: ${source}`
}

function periodLines(periods: readonly Period[], visitors: string): readonly string[] {
  if (periods.length === 0) return []
  const shown = periods.toSorted((a, b) => b.refused - a.refused).slice(0, MOST_PERIODS)
  const lines = shown
    .toSorted((a, b) => a.fromMs - b.fromMs)
    .map(
      ({ fromMs, toMs, asked, admitted, refused }) =>
        `  ${timeText(fromMs)} to ${timeText(toMs).slice(11)}   ${rateText(asked)} ${visitors}, ${rateText(admitted)} admitted, ${amount(refused)} refused (${percent(1 - admitted / asked)})`,
    )
  const more = periods.length - shown.length
  return ['', '  When:', ...lines, ...(more > 0 ? [`  and ${more} shorter periods`] : [])]
}

function assumptionsOf(prediction: Prediction, facts: ReportFacts): readonly string[] {
  const { granularity } = facts
  return [
    ...facts.notes,
    ...(granularity === 'session'
      ? [
          `A visit makes ${Math.round(prediction.requestsPerVisit * 10) / 10} requests, as in the minutes within the target. Refused visitors do not come back.`,
        ]
      : ['Each request is decided by itself, and refused ones are not repeated.']),
    ...(prediction.capacitySource === 'in-time'
      ? [
          'The origin may be able to do more than its busiest minute within the target. Then fewer are refused.',
        ]
      : []),
    'The capacity is the same all the time, and all classes are taken together: the gate refuses the least valuable first.',
    'Within a minute the load is even. Short bursts are refused in part although the minute has room.',
  ]
}
