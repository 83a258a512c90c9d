import type { TickFigure } from '../coordinator/ticks.ts'
import type { EdgeFigure } from '../edge/run.ts'
import type { Ratio } from '../load/ratio.ts'
import { PAPER, type PolicingCost } from '../policing/run.ts'
import { barsOf } from './bars.ts'
import type { Figures } from './figures.ts'
import { count, table } from './table.ts'

/** The report for people; `jsonOf` makes the one for programs. */
export function textOf(figures: Figures): string {
  const versions = Object.entries(figures.versions).map(([name, version]) => `${name} ${version}`)
  return [
    versions.join(', '),
    ...edgeText(figures),
    ...microText(figures),
    ...policingText(figures),
    ...coordinatorText(figures),
    ...bundleText(figures),
    ...labText(figures),
    ...barsText(figures),
  ].join('\n')
}

function labText({ lab }: Figures): readonly string[] {
  if (!lab) return []
  const seconds = lab.secondsPerMillion.toFixed(1)
  return ['', `The lab simulates a million requests in ${seconds} s of processor time.`]
}

const HEADINGS: Readonly<Record<EdgeFigure['group'], string>> = {
  refuse: 'Refusing',
  admit: 'Admitting',
  session: 'Known sessions',
  proxying: 'Parts of proxying',
}

function edgeText({ edge }: Figures): readonly string[] {
  if (!edge) return []
  return Object.entries(HEADINGS).flatMap(([group, heading]) => {
    const rows = edge
      .filter((figure) => figure.group === group)
      .map(({ text, perSecond, cpuUs, ratio, cpuRatio, gateTimes }) => [
        text,
        count(perSecond),
        cpuUs.toFixed(1),
        ratioText(ratio),
        ratioText(cpuRatio),
        gateTimes ? `${gateTimes.value.toFixed(2)}` : '',
      ])
    if (rows.length === 0) return []
    const titles = [heading, 'requests/s', 'µs CPU', 'ratio (95 %)', 'by CPU', 'gate is × as fast']
    return ['', ...table(titles, rows)]
  })
}

const ratioText = ({ value, low, high }: Ratio): string =>
  low === high ? value.toFixed(3) : `${value.toFixed(3)} (${low.toFixed(3)}…${high.toFixed(3)})`

function microText({ micro }: Figures): readonly string[] {
  if (!micro) return []
  const rows = micro.node.map(({ name, ns, low, high }, i) => [
    name,
    count(ns),
    `${count(low)}…${count(high)}`,
    count(micro.workerd[i]!.ns),
  ])
  const { objects, bytes } = micro.refusal
  return [
    '',
    ...table(['One call', 'ns in Node', 'quartiles', 'ns in workerd'], rows),
    `A refusal allocates ${objects.toFixed(1)} objects, ${count(bytes)} bytes, before its answer is made.`,
  ]
}

function policingText({ policing }: Figures): readonly string[] {
  if (!policing) return []
  const row = (name: string, { thresholdNs, batchNs, ratio }: PolicingCost): readonly string[] => [
    name,
    `${count(thresholdNs)} ns`,
    `${count(batchNs)} ns`,
    ratio.toFixed(1),
  ]
  const { threshold, batch } = PAPER
  return [
    '',
    ...table(
      ['A verdict', 'threshold', 'batch', 'ratio'],
      [
        row('the decision', policing.decision),
        row('all that the gate does', policing.gate),
        [
          'the paper’s sentry (Cataclysm, Fig. 4)',
          `${count(threshold)}/s`,
          `${count(batch)}/s`,
          (threshold / batch).toFixed(1),
        ],
      ],
    ),
  ]
}

function coordinatorText({ coordinator }: Figures): readonly string[] {
  if (!coordinator) return []
  const rows = coordinator.ticks.map((figure: TickFigure) => [
    `${figure.colos} colos, ${figure.classes} classes, ${figure.routes} routes, ${count(figure.requests)} requests`,
    figure.reportUs.toFixed(1),
    figure.tickUs.toFixed(1),
    count(figure.reportBytes),
    count(figure.planBytes),
  ])
  const { perSecond, cpuUs } = coordinator.relay
  const { viewers, aloneMs, watchedMs } = coordinator.viewers
  return [
    '',
    ...table(['Coordinator', 'µs a report', 'µs a tick', 'bytes, report', 'bytes, plan'], rows),
    `One relay in workerd takes ${count(perSecond)} reports/s, ${cpuUs.toFixed(0)} µs of processor time each.`,
    `A report with its tick takes ${aloneMs.toFixed(2)} ms, and ${watchedMs.toFixed(2)} ms with ${viewers} viewers of the dashboard.`,
  ]
}

function bundleText({ bundle }: Figures): readonly string[] {
  if (!bundle) return []
  const { edge, whole } = bundle
  const parts = edge.parts.map(({ name, bytes }) => [`  ${name}`, count(bytes), ''])
  const rows = [
    ['edge part', count(edge.bytes), count(edge.gzipBytes)],
    ...parts,
    ['with the Durable Objects', count(whole.bytes), count(whole.gzipBytes)],
  ]
  return [
    '',
    ...table(['Bundle', 'bytes', 'gzipped'], rows),
    `Start-up takes ${bundle.startUp.loadedMs.toFixed(1)} ms of processor time beyond an empty Worker's; ${bundle.startUp.answeredMs.toFixed(1)} ms with the first answer.`,
  ]
}

function barsText(figures: Figures): readonly string[] {
  const rows = barsOf(figures).map(({ name, value, sense, limit, holds }) => [
    name,
    Number(value.toPrecision(4)).toString(),
    `${sense} ${limit}`,
    holds ? 'holds' : 'MISSED',
  ])
  return rows.length === 0 ? [] : ['', ...table(['Must be', 'is', '', ''], rows)]
}
