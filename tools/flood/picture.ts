import { surgeStartMs } from './crowd.ts'
import type { RunReport } from './report.ts'

/** The runs as a picture: pages served within the SLA, second by second, against the origin's capacity. */

const WIDTH = 900
const HEIGHT = 380
const PLOT = { left: 64, right: 24, top: 76, bottom: 52 }
const LINES = {
  direct: { color: '#c2410c', label: 'straight to the origin' },
  gate: { color: '#0f766e', label: 'through Tidegate' },
} as const

export function pictureOf(runs: readonly RunReport[], seconds: number): string {
  const { capacityPerSecond, surge, slaMs } = runs[0]!
  const highest = Math.max(capacityPerSecond, ...runs.flatMap((run) => run.inSlaBySecond)) * 1.1
  const x = (second: number): number =>
    PLOT.left + (second / seconds) * (WIDTH - PLOT.left - PLOT.right)
  const y = (rate: number): number =>
    HEIGHT - PLOT.bottom - (rate / highest) * (HEIGHT - PLOT.top - PLOT.bottom)
  const stepS = surgeStartMs(seconds) / 1000
  const floor = y(0)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="${titleOf(slaMs)}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#ffffff"/>`,
    `<text x="${PLOT.left}" y="30" font-size="18" font-weight="600" fill="#0f172a">${titleOf(slaMs)}</text>`,
    ...runs.map((run, i) => legend(run, PLOT.left + i * 330)),
    `<rect x="${x(stepS)}" y="${PLOT.top}" width="${x(seconds) - x(stepS)}" height="${floor - PLOT.top}" fill="#f1f5f9"/>`,
    `<text x="${x(stepS) + 8}" y="${PLOT.top + 18}" fill="#475569">flash crowd: ${surge} times the capacity</text>`,
    `<line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${y(capacityPerSecond)}" y2="${y(capacityPerSecond)}" stroke="#475569" stroke-dasharray="5 5"/>`,
    `<text x="${WIDTH - PLOT.right - 6}" y="${y(capacityPerSecond) - 7}" text-anchor="end" fill="#475569">the origin's capacity, ${Math.round(capacityPerSecond)}/s</text>`,
    ...runs.map((run) => line(run, seconds, x, y)),
    `<line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${floor}" y2="${floor}" stroke="#475569"/>`,
    ...[0, 0.25, 0.5, 0.75, 1].map(
      (part) =>
        `<text x="${x(part * seconds)}" y="${floor + 22}" text-anchor="middle" fill="#475569">${Math.round(part * seconds)} s</text>`,
    ),
    ...[0, 0.5, 1].map(
      (part) =>
        `<text x="${PLOT.left - 10}" y="${y(part * capacityPerSecond) + 5}" text-anchor="end" fill="#475569">${Math.round(part * capacityPerSecond)}</text>`,
    ),
    '</svg>',
    '',
  ].join('\n')
}

const titleOf = (slaMs: number): string => `Pages served within ${slaMs} ms, per second`

function legend({ name, share }: RunReport, left: number): string {
  const { color, label } = LINES[name]
  const figure = share === null ? '' : `: ${share.toFixed(2)} of the capacity`
  return `<rect x="${left}" y="46" width="14" height="14" rx="3" fill="${color}"/><text x="${left + 22}" y="58" fill="#0f172a">${label}${figure}</text>`
}

function line(
  { name, inSlaBySecond }: RunReport,
  seconds: number,
  x: (second: number) => number,
  y: (rate: number) => number,
): string {
  const points = Array.from({ length: Math.floor(seconds) }, (_, second) => {
    return `${x(second + 0.5).toFixed(1)},${y(inSlaBySecond[second] ?? 0).toFixed(1)}`
  })
  return `<polyline points="${points.join(' ')}" fill="none" stroke="${LINES[name].color}" stroke-width="2.5" stroke-linejoin="round"/>`
}
