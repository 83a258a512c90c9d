import {
  BAD,
  GOOD,
  legendKey,
  level,
  patch,
  polyline,
  type Scale,
  SHADE,
  scaleOf,
  svgOf,
  words,
} from '../svg.ts'
import { surgeStartMs } from './crowd.ts'
import type { RunReport } from './report.ts'

/** The runs as a picture: pages served within the SLA per second, and the origin's capacity. */

const WIDTH = 900
const HEIGHT = 380
const PLOT = { left: 64, right: WIDTH - 24, top: 76, bottom: HEIGHT - 52 }
const LINES = {
  direct: { color: BAD, label: 'straight to the origin' },
  gate: { color: GOOD, label: 'through Tidegate' },
} as const

export function pictureOf(runs: readonly RunReport[], seconds: number): string {
  const { capacityPerSecond, surge, slaMs } = runs[0]!
  const highest = Math.max(capacityPerSecond, ...runs.flatMap((run) => run.inSlaBySecond)) * 1.1
  const { left, right, top, bottom } = PLOT
  const x = scaleOf({ from: 0, to: seconds }, { from: left, to: right })
  const y = scaleOf({ from: 0, to: highest }, { from: bottom, to: top })
  const stepX = x(surgeStartMs(seconds) / 1000)
  const capacityY = y(capacityPerSecond)
  const crowd = `flash crowd: ${surge} times the capacity`
  const capacity = `the origin's capacity, ${Math.round(capacityPerSecond)}/s`
  const title = `Pages served within ${slaMs} ms, per second`
  return svgOf({ width: WIDTH, height: HEIGHT, title, left }, [
    ...runs.map((run, i) => legend(run, left + i * 330)),
    patch({ from: stepX, to: right }, { from: top, to: bottom }, SHADE),
    words({ x: stepX + 8, y: top + 18, text: crowd }),
    level(PLOT, capacityY, '5 5'),
    words({ x: right - 6, y: capacityY - 7, text: capacity, anchor: 'end' }),
    ...runs.map((run) => line(run, seconds, x, y)),
    level(PLOT, bottom),
    ...[0, 0.25, 0.5, 0.75, 1].map((part) => {
      const text = `${Math.round(part * seconds)} s`
      return words({ x: x(part * seconds), y: bottom + 22, text, anchor: 'middle' })
    }),
    ...[0, 0.5, 1].map((part) => {
      const text = String(Math.round(part * capacityPerSecond))
      return words({ x: left - 10, y: y(part * capacityPerSecond) + 5, text, anchor: 'end' })
    }),
  ])
}

function legend({ name, share }: RunReport, left: number): string {
  const { color, label } = LINES[name]
  const figure = share === null ? '' : `: ${share.toFixed(2)} of the capacity`
  return legendKey(left, 58, color, `${label}${figure}`)
}

function line({ name, inSlaBySecond }: RunReport, seconds: number, x: Scale, y: Scale): string {
  const points = Array.from({ length: Math.floor(seconds) }, (_, second) => {
    return [x(second + 0.5), y(inSlaBySecond[second] ?? 0)] as const
  })
  return polyline(points, { color: LINES[name].color, width: 2.5 })
}
