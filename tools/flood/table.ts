import { PAGE_CLASSES } from '../demo/pages.ts'
import type { Figures } from './page-counts.ts'
import { LAG_WARNING_MS, type RunName, type RunReport } from './report.ts'
import { waitsLine } from './waits.ts'

/** The result as text. */

const NAMES: Readonly<Record<RunName, string>> = {
  direct: 'Straight to the origin',
  gate: 'Through the gate',
}

const COLUMNS: readonly (readonly [string, (figures: Figures) => string])[] = [
  ['offered', ({ offered }) => String(offered)],
  ['admitted', ({ admitted }) => String(admitted)],
  ['in SLA', ({ inSla }) => String(inSla)],
  ['late', ({ late }) => String(late)],
  ['failed', ({ failed }) => String(failed)],
  ['refused', ({ refused }) => String(refused)],
  ['abandoned', ({ abandoned }) => String(abandoned)],
  ['p50 ms', ({ p50Ms }) => wholeMs(p50Ms)],
  ['p95 ms', ({ p95Ms }) => wholeMs(p95Ms)],
  ['p99 ms', ({ p99Ms }) => wholeMs(p99Ms)],
]

export function renderRuns(runs: readonly RunReport[]): string {
  const parts = runs.map(renderRun)
  if (runs.length > 1) parts.push(renderComparison(runs))
  return parts.join('\n\n')
}

function renderRun(run: RunReport): string {
  const { name, target, surge, surgeSeconds, capacityPerSecond, calm } = run
  const served = `${calm.totals.inSla} of ${calm.totals.admitted} pages in SLA`
  return [
    `${NAMES[name]} (${target})`,
    `Calm:  ${calm.seconds.toFixed(0)} s at ${calm.load} x the capacity of ${capacityPerSecond} ` +
      `requests/s: ${served}, p95 ${wholeMs(calm.totals.p95Ms)} ms`,
    `Surge: ${surgeSeconds.toFixed(0)} s at ${surge} x the capacity, in pages:`,
    '',
    ...renderFigures(run),
    legend(run),
    ...waited(run),
    '',
    headline(run),
    ...warnings(run),
  ].join('\n')
}

function renderFigures({ classes, totals }: RunReport): string[] {
  const rows = [
    ['', ...COLUMNS.map(([title]) => title)],
    ...PAGE_CLASSES.map((name) => [name, ...COLUMNS.map(([, cell]) => cell(classes[name]))]),
    ['total', ...COLUMNS.map(([, cell]) => cell(totals))],
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  '),
  )
}

/**
 * If visitors leave early, admitted and refused add up to less than offered. The legend explains
 * this.
 */
function legend({ totals: { offered, sent } }: RunReport): string {
  const split = 'Admitted = in SLA + late + failed + abandoned.'
  if (sent >= offered) return split
  return (
    `${split} Of the ${offered} pages offered, ${sent} were requested: a visitor that is refused, gets an ` +
    'error or gives up does not request the remaining pages of the visit.'
  )
}

function waited({ waits }: RunReport): string[] {
  const line = waitsLine(waits)
  return line === null ? [] : [line]
}

function headline({ share, slaMs, totals, surgeSeconds, capacityPerSecond }: RunReport): string {
  if (share === null) return 'Interrupted before the surge.'
  const perSecond = (totals.inSla / surgeSeconds).toFixed(1)
  return (
    `Share of the origin's capacity served within the SLA of ${slaMs} ms: ${share.toFixed(2)} ` +
    `(${perSecond} of ${capacityPerSecond} requests/s)`
  )
}

/** Facts that make the figures doubtful. */
function warnings({ complete, totals, calm, generator, failures }: RunReport): string[] {
  const said: string[] = []
  const unfinished = totals.unfinished + calm.totals.unfinished
  const dropped = totals.dropped + calm.totals.dropped
  if (!complete) said.push(`Interrupted: ${unfinished} requests were still in flight.`)
  if (dropped > 0)
    said.push(`Warning: ${dropped} requests were not sent, because all sockets were in use.`)
  if (generator.lagP50Ms > LAG_WARNING_MS)
    said.push(
      `Warning: the generator is ${wholeMs(generator.lagP50Ms)} ms behind its schedule ` +
        `(median; ${(generator.cpu * 100).toFixed(0)} % of a core). This machine is too slow for the load.`,
    )
  const kinds = Object.entries(failures).map(([code, count]) => `${count} x ${code}`)
  if (kinds.length > 0) said.push(`Failures: ${kinds.join(', ')}`)
  return said
}

function renderComparison(runs: readonly RunReport[]): string {
  const width = Math.max(...runs.map(({ name }) => NAMES[name].length))
  return [
    "Share of the origin's capacity served within the SLA:",
    ...runs.map(({ name, share }) => `  ${NAMES[name].padEnd(width)}  ${share?.toFixed(2) ?? '-'}`),
  ].join('\n')
}

function wholeMs(ms: number | null): string {
  return ms === null ? '-' : ms.toFixed(0)
}
