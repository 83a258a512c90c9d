import { progressBar } from '../progress-printer.ts'
import { alignRows } from './align-rows.ts'
import { renderAttacks } from './attack-table.ts'
import { nominalPerSecond } from './capacity.ts'
import { GROUPS } from './cases.ts'
import type { TrialProgress, TrialResult } from './run.ts'
import { onsetS, type TrialCase } from './trial-case.ts'

/** The trials and their results as text. */

/** Above this median delay the result says more about the generator than about the gate. */
const LAG_WARNING_MS = 20

const COLUMNS: readonly (readonly [string, (result: TrialResult) => string])[] = [
  ['capacity/s', ({ capacityPerSecond }) => capacityPerSecond.toFixed(0)],
  ['share', ({ share }) => share.toFixed(3)],
  ['goal', ({ goal }) => goal.toFixed(2)],
  ['late', ({ lateShare }) => lateShare.toFixed(3)],
  ['violation s', ({ violationS }) => String(violationS)],
  ['drain s', ({ drainS }) => drainS?.toFixed(0) ?? 'never'],
  ['cut', ({ cut }) => String(cut)],
  ['refused', ({ refused }) => String(refused)],
  ['failed', ({ failed }) => String(failed)],
  ['', ({ met, complete }) => (complete ? (met ? 'met' : 'missed') : 'interrupted')],
]

/** Attacks have a table of their own. */
export function renderResults(results: readonly TrialResult[]): string {
  const surges = results.filter(({ attack }) => attack === null)
  return [surges.length > 0 ? renderSurges(surges) : '', renderAttacks(results)]
    .filter((table) => table !== '')
    .join('\n\n')
}

function renderSurges(results: readonly TrialResult[]): string {
  const rows = [
    ['', ...COLUMNS.map(([title]) => title)],
    ...results.map((result) => [result.name, ...COLUMNS.map(([, cell]) => cell(result))]),
  ]
  const met = results.filter((result) => result.met && result.complete).length
  return [
    ...alignRows(rows),
    '',
    LEGEND,
    `${met} of ${results.length} met their goals.`,
    ...results.flatMap(notes),
  ].join('\n')
}

const LEGEND = `share: answers within the SLA divided by the capacity, from 10 s after the onset on. late: part of
the admitted that was late, failed or given up, in the same time. violation: seconds from the onset on with more
of these than the SLA allows. drain: time from the onset until its backlog was gone. cut: sessions refused after
they were admitted.`

function notes(result: TrialResult): string[] {
  const { name, parts, failures, generator } = result
  const said: string[] = []
  if (Object.keys(parts).length > 1) {
    const each = Object.entries(parts).map(
      ([part, { sessions, admitted }]) => `${admitted} of ${sessions} ${part}`,
    )
    said.push(`${name}: admitted ${each.join(', ')}`)
  }
  const kinds = Object.entries(failures).map(([code, count]) => `${count} x ${code}`)
  if (kinds.length > 0) said.push(`${name}: failures: ${kinds.join(', ')}`)
  if (generator.dropped > 0)
    said.push(`${name}: ${generator.dropped} requests were not sent: all sockets were in use`)
  if (generator.lagP50Ms > LAG_WARNING_MS)
    said.push(
      `${name}: the generator was ${generator.lagP50Ms.toFixed(0)} ms behind its schedule (median; ` +
        `${(100 * generator.cpu).toFixed(0)} % of a core). This machine is too busy for the trial.`,
    )
  return said
}

export function trialLine({ name, elapsedMs, seconds, onsetS, second }: TrialProgress): string {
  const done = Math.min(1, elapsedMs / (1000 * seconds))
  const left = Math.max(0, Math.ceil(seconds - elapsedMs / 1000))
  const phase = elapsedMs < 1000 * onsetS ? 'calm ' : 'surge'
  const { inSla, late, abandoned, failed, refused } = second
  return (
    `${name.padEnd(14)} ${progressBar(done)} ${phase} ${String(left).padStart(3)} s left  per second: ` +
    `in SLA ${inSla}  late ${late}  abandoned ${abandoned}  failed ${failed}  refused ${refused}`
  )
}

export function listOfTrials(): string {
  return GROUPS.flatMap(({ name, text, cases }) => [
    `${name}: ${text}`,
    ...alignRows(cases.map(listRow)).map((row) => `  ${row}`),
  ]).join('\n')
}

function listRow(trial: TrialCase): string[] {
  const { name, text, seconds, origin } = trial
  const capacity = `${nominalPerSecond(origin).toFixed(0)}/s`
  return [name, `${seconds} s`, capacity, `onset ${onsetS(trial)} s`, `${trial.targetMs} ms`, text]
}
