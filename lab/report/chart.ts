import type { Curve } from '../experiments/experiment.ts'
import { escaped } from './html.ts'
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
const PLOT = { left: 52, right: 18, top: 46, bottom: 40 }
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
    `<text x="${PLOT.left}" y="16" font-size="13" font-weight="600" fill="#0f172a">${escaped(title)}</text>`,
    ...legend(series),
    ...axes(options, x, y),
    ...(mark === undefined ? [] : [markLine(y.at(mark))]),
    ...series.map(({ points }, i) => line(points, x, y, COLORS[i % COLORS.length]!)),
    '</svg>',
  ].join('\n')
}

function scalesOf({ series, mark, logarithmic: isLog = false }: ChartOptions) {
  const all = series.flatMap(({ points }) => points)
  const xs = all.map(([value]) => value)
  const ys = [...all.map(([, value]) => value), ...(mark === undefined ? [] : [mark])]
  const positive = ys.filter((value) => value > 0)
  const bottom = HEIGHT - PLOT.bottom
  return {
    x: tight(Math.min(...xs), Math.max(...xs), PLOT.left, WIDTH - PLOT.right),
    y:
      isLog && positive.length > 0
        ? logarithmic(Math.min(...positive), Math.max(...positive), bottom, PLOT.top)
        : linear(Math.min(0, ...ys), Math.max(...ys), bottom, PLOT.top),
  }
}

function legend(series: readonly Series[]): readonly string[] {
  let left = PLOT.left
  return series.map(({ name }, i) => {
    const at = left
    left += 26 + name.length * 6.2
    return `<rect x="${at}" y="25" width="10" height="10" rx="2" fill="${COLORS[i % COLORS.length]}"/><text x="${at + 14}" y="34" fill="#334155">${escaped(name)}</text>`
  })
}

function axes({ x: xText }: ChartOptions, x: Scale, y: Scale): readonly string[] {
  const bottom = HEIGHT - PLOT.bottom
  const right = WIDTH - PLOT.right
  return [
    ...y.ticks.map(
      (value) =>
        `<line x1="${PLOT.left}" x2="${right}" y1="${place(y.at(value))}" y2="${place(y.at(value))}" stroke="#e2e8f0"/><text x="${PLOT.left - 6}" y="${place(y.at(value) + 4)}" text-anchor="end" fill="#475569">${tickText(value)}</text>`,
    ),
    ...x.ticks.map(
      (value) =>
        `<text x="${place(x.at(value))}" y="${bottom + 15}" text-anchor="middle" fill="#475569">${tickText(value)}</text>`,
    ),
    `<line x1="${PLOT.left}" x2="${right}" y1="${bottom}" y2="${bottom}" stroke="#475569"/>`,
    `<text x="${right}" y="${HEIGHT - 6}" text-anchor="end" fill="#475569">${escaped(xText)}</text>`,
  ]
}

function markLine(y: number): string {
  return `<line x1="${PLOT.left}" x2="${WIDTH - PLOT.right}" y1="${place(y)}" y2="${place(y)}" stroke="#dc2626" stroke-dasharray="5 4"/>`
}

/** A line with few points also gets dots. */
function line(points: Curve, x: Scale, y: Scale, color: string): string {
  const places = points.map(([atX, atY]) => `${place(x.at(atX))},${place(y.at(atY))}`)
  const dots = points.length > 24 ? '' : places.map((at) => dot(at, color)).join('')
  return `<polyline points="${places.join(' ')}" fill="none" stroke="${color}" stroke-width="1.6" stroke-linejoin="round"/>${dots}`
}

function dot(at: string, color: string): string {
  const [cx, cy] = at.split(',')
  return `<circle cx="${cx}" cy="${cy}" r="2.4" fill="${color}"/>`
}

const place = (value: number): string => value.toFixed(1)
