import { escaped } from '../../tools/escaped.ts'
import { at, INK, level, type Point, polyline, words } from '../../tools/svg.ts'
import type { Curve } from '../experiments/experiment.ts'
import { linear, logarithmic, type Scale, tickText, tight } from './scale.ts'

export interface Series {
  readonly name: string
  readonly points: Curve
}

interface ChartOptions {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly series: readonly Series[]
  /** A horizontal line. */
  readonly mark?: number
  readonly logarithmic?: boolean
}

const WIDTH = 460
const HEIGHT = 270
const PLOT = { left: 52, right: WIDTH - 18, top: 46, bottom: HEIGHT - 40 }
const GRID = '#e2e8f0'
const MARK = '#dc2626'
/** A line with at most so many points also gets dots. */
const MOST_DOTS = 24
/** Colours that colour-blind people can tell apart (Okabe and Ito). */
const COLORS = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#e69f00',
  '#56b4e9',
  '#7f7f7f',
  '#000000',
]

/** A line chart as self-contained SVG. */
export function chart(options: ChartOptions): string {
  const { series, mark } = options
  const title = options.y === '' ? options.title : `${options.title}, ${options.y}`
  const { x, y } = scalesOf(options)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="11" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    words({ x: PLOT.left, y: 16, text: title, fill: INK, size: 13, weight: 600 }),
    ...legend(series),
    ...axes(options, x, y),
    ...(mark === undefined ? [] : [level(PLOT, y.at(mark), '5 4', MARK)]),
    ...series.map(({ points }, i) => line(points, x, y, COLORS[i % COLORS.length]!)),
    '</svg>',
  ].join('\n')
}

function scalesOf({ series, mark, logarithmic: isLog = false }: ChartOptions) {
  const all = series.flatMap(({ points }) => points)
  const xs = all.map(([value]) => value)
  const ys = [...all.map(([, value]) => value), ...(mark === undefined ? [] : [mark])]
  const positive = ys.filter((value) => value > 0)
  const { left, right, top, bottom } = PLOT
  return {
    x: tight(Math.min(...xs), Math.max(...xs), left, right),
    y:
      isLog && positive.length > 0
        ? logarithmic(Math.min(...positive), Math.max(...positive), bottom, top)
        : linear(Math.min(0, ...ys), Math.max(...ys), bottom, top),
  }
}

function legend(series: readonly Series[]): readonly string[] {
  let left = PLOT.left
  return series.map(({ name }, i) => {
    const x = left
    left += 26 + name.length * 6.2
    const color = COLORS[i % COLORS.length]!
    const key = `<rect x="${at(x)}" y="25" width="10" height="10" rx="2" fill="${color}"/>`
    return key + words({ x: x + 14, y: 34, text: name })
  })
}

function axes({ x: xText }: ChartOptions, x: Scale, y: Scale): readonly string[] {
  const { left, right, bottom } = PLOT
  return [
    ...y.ticks.flatMap((value) => [
      level(PLOT, y.at(value), undefined, GRID),
      words({ x: left - 6, y: y.at(value) + 4, text: tickText(value), anchor: 'end' }),
    ]),
    ...x.ticks.map((value) =>
      words({ x: x.at(value), y: bottom + 15, text: tickText(value), anchor: 'middle' }),
    ),
    level(PLOT, bottom),
    words({ x: right, y: HEIGHT - 6, text: xText, anchor: 'end' }),
  ]
}

function line(points: Curve, x: Scale, y: Scale, color: string): string {
  const places = points.map(([atX, atY]): Point => [x.at(atX), y.at(atY)])
  const dots = points.length > MOST_DOTS ? [] : places.map((place) => dot(place, color))
  return [polyline(places, { color, width: 1.6 }), ...dots].join('')
}

const dot = ([x, y]: Point, color: string): string =>
  `<circle cx="${at(x)}" cy="${at(y)}" r="2.4" fill="${color}"/>`
