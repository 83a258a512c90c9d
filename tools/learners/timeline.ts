import type { TraceLine } from '../../lab/gate/run-plant.ts'
import {
  BAD,
  GOOD,
  INK,
  legendKey,
  level,
  type Plot,
  type Point,
  patch,
  polygon,
  polyline,
  type Scale,
  SHADE,
  scaleOf,
  svgOf,
  words,
} from '../svg.ts'
import type { Course } from './courses.ts'
import { type At, meanOver, percentileOver } from './series.ts'
import type { Trial } from './trial.ts'

/** One learner's run over time: admitted rate above, response times below. */

const WIDTH = 820
const HEIGHT = 420
const RATES: Plot = { left: 58, right: WIDTH - 20, top: 104, bottom: 248 }
const TIMES: Plot = { left: 58, right: WIDTH - 20, top: 286, bottom: 386 }
const HIGHEST_RATE = 5
const HIGHEST_S = 9
const LIMIT = '#b45309'
const SECOND = '#7c3aed'
const LATE = '#fecaca'
const CAPACITY = { color: INK, dashes: '5 4' }

/** Ticks per point of a line. */
const RATE_TICKS = 15
const LIMIT_TICKS = 5
const TIME_TICKS = 30

/** Approximate width of a letter in the legend. */
const LETTER = 7.4

interface TimelineOptions {
  readonly title: string
  /** Draw one line per class instead of the total and the limit. */
  readonly byClass?: boolean
}

export function timelineOf({ course, run }: Trial, options: TimelineOptions): string {
  const x = scaleOf({ from: 0, to: course.endS }, { from: RATES.left, to: RATES.right })
  const lines = options.byClass ? classLines(run.trace) : wholeLines(run.trace)
  return svgOf({ width: WIDTH, height: HEIGHT, title: options.title, left: RATES.left }, [
    ...legendOf(lines),
    shadeOf(course, x, RATES),
    shadeOf(course, x, TIMES),
    ...ratesOf(course, x, lines),
    ...timesOf(course, x, percentileOver(run.trace, TIME_TICKS)),
    ...minutesOf(course, x),
  ])
}

interface Line {
  readonly color: string
  readonly text: string
  readonly width: number
  readonly values: readonly At[]
}

function wholeLines(trace: readonly TraceLine[]): readonly Line[] {
  const limits = trace
    .filter(({ limit }, i) => Number.isFinite(limit) && i % LIMIT_TICKS === 0)
    .map(({ atMs, limit }) => ({ second: atMs / 1000, value: limit }))
  const admitted = meanOver(trace, RATE_TICKS, (sample) => sample.admitted.sessions)
  const line = { color: GOOD, text: 'admitted, new sessions/s', width: 2.5, values: admitted }
  return limits.length === 0
    ? [line]
    : [line, { color: LIMIT, text: 'the limit', width: 1.2, values: limits }]
}

/** The lines, and the dashed line of the capacity. */
function legendOf(lines: readonly Line[]): string[] {
  let x = RATES.left
  const keys = lines.map(({ color, text }) => {
    const key = legendKey(x, 58, color, text)
    x += 44 + LETTER * text.length
    return key
  })
  const dashes: Point[] = [
    [x, 53],
    [x + 28, 53],
  ]
  const text = 'what the origin can take'
  return [
    ...keys,
    polyline(dashes, { ...CAPACITY, width: 2 }),
    words({ x: x + 36, y: 58, text, fill: INK }),
  ]
}

function classLines(trace: readonly TraceLine[]): readonly Line[] {
  return [GOOD, SECOND].map((color, i) => {
    const { key, value } = trace[0]!.sample.classes[i]!
    const text = `${key.split('/')[1]} admitted, value ${value}`
    const values = meanOver(trace, RATE_TICKS, (sample) => sample.classes[i]!.admitted)
    return { color, text, width: 2.5, values }
  })
}

function shadeOf({ surgeS }: Course, x: Scale, { right, top, bottom }: Plot): string {
  return patch({ from: x(surgeS), to: right }, { from: top, to: bottom }, SHADE)
}

function ratesOf(course: Course, x: Scale, lines: readonly Line[]): string[] {
  const { surgeS, lossS, endS, capacities } = course
  const y = scaleOf({ from: 0, to: HIGHEST_RATE }, { from: RATES.bottom, to: RATES.top })
  const inside = (rate: number): number => y(Math.min(rate, HIGHEST_RATE))
  const capacity: Point[] = [
    [x(0), y(capacities[0])],
    [x(lossS), y(capacities[0])],
    [x(lossS), y(capacities[1])],
    [x(endS), y(capacities[1])],
  ]
  const note = (second: number, text: string): string =>
    words({ x: x(second), y: RATES.top - 8, text, size: 13 })
  return [
    note(0, 'calm: 1.5 a second ask'),
    note(surgeS, 'the crowd: 15 a second ask'),
    note(lossS, '8 of 20 servers fail, unannounced'),
    polyline(capacity, CAPACITY),
    ...lines.toReversed().map(({ values, color, width }) =>
      polyline(
        values.map(({ second, value }) => [x(second), inside(value)]),
        { color, width },
      ),
    ),
    level(RATES, RATES.bottom),
    ...[0, 1, 2, 3, 4, 5].map((rate) => scaleWord(RATES, y(rate), String(rate))),
  ]
}

function timesOf({ plant }: Course, x: Scale, values: readonly At[]): string[] {
  const y = scaleOf({ from: 0, to: HIGHEST_S }, { from: TIMES.bottom, to: TIMES.top })
  const targetS = plant.sla.targetMs / 1000
  const points = values.map(
    ({ second, value }): Point => [x(second), y(Math.min(value / 1000, HIGHEST_S))],
  )
  const targetY = y(targetS)
  const above = points.map(([left, top]): Point => [left, Math.min(top, targetY)])
  const text = `p${plant.sla.percentile} of the response time, target ${targetS} s`
  return [
    words({ x: TIMES.left, y: TIMES.top - 8, text, size: 13 }),
    polygon([[x(values[0]!.second), targetY], ...above, [TIMES.right, targetY]], LATE),
    level(TIMES, targetY, '5 4'),
    polyline(points, { color: BAD, width: 2 }),
    level(TIMES, TIMES.bottom),
    ...[0, targetS].map((second) => scaleWord(TIMES, y(second), `${second} s`)),
  ]
}

function scaleWord({ left }: Plot, y: number, text: string): string {
  return words({ x: left - 8, y: y + 4, text, anchor: 'end', size: 13 })
}

function minutesOf({ endS }: Course, x: Scale): string[] {
  return [0, 0.25, 0.5, 0.75, 1].map((part) =>
    words({
      x: x(part * endS),
      y: TIMES.bottom + 22,
      text: `${Math.round((part * endS) / 60)} min`,
      anchor: part === 1 ? 'end' : 'middle',
      size: 13,
    }),
  )
}
