import uPlot from 'uplot'
import { el } from './dom.ts'

export interface Series {
  readonly label: string
  /** One of the colours of style.css: --c1 to --c5. */
  readonly colour: 1 | 2 | 3 | 4 | 5
  /** Lines differ by their dashes too, for readers who do not see the colours. */
  readonly dash?: readonly number[]
  readonly filled?: boolean
  readonly points?: boolean
  /** The line goes on over columns without a value. */
  readonly joined?: boolean
}

export interface ChartOptions {
  readonly title: string
  readonly unit: string
  readonly series: readonly Series[]
  /** x is a number with this unit, not a time. */
  readonly xUnit?: string
  /** The text that a screen reader gets instead of the picture. */
  describe(data: ChartData): string
}

export type ChartData = readonly (readonly (number | null)[])[]

const HEIGHT = 190
const DAY_S = 86_400

/** Moments on the axis of time, `stepS` apart: 14:05:30, 14:05 or 18 Nov. */
function moments(seconds: readonly number[], stepS: number): string[] {
  return seconds.map((at) => {
    const date = new Date(1000 * at)
    if (stepS >= DAY_S) return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
    return date.toLocaleTimeString('en-GB').slice(0, stepS < 60 ? 8 : 5)
  })
}

/** A chart that follows the width of its place and the theme of the page. */
export class Chart {
  readonly element: HTMLElement
  readonly #options: ChartOptions
  readonly #place: HTMLElement
  #plot: uPlot | null = null
  #data: ChartData = [[]]

  constructor(options: ChartOptions) {
    this.#options = options
    this.#place = el('div', { class: 'plot', role: 'img', 'aria-label': options.title })
    this.element = el('figure', { class: 'card chart' }, this.#caption(), this.#place)
    new ResizeObserver(() => this.#fit()).observe(this.#place)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.redraw())
  }

  show(data: ChartData): void {
    this.#data = data
    this.#place.setAttribute(
      'aria-label',
      `${this.#options.title}. ${this.#options.describe(data)}`,
    )
    if (this.#plot === null) this.#create()
    else this.#plot.setData(data as uPlot.AlignedData)
  }

  /** After a change of theme: the colours are read again. */
  redraw(): void {
    this.#plot?.destroy()
    this.#plot = null
    this.#create()
  }

  #caption(): HTMLElement {
    const { title, unit, series } = this.#options
    const keys = series.map(({ label, colour, dash }) =>
      el(
        'span',
        { class: 'key' },
        el('i', { class: `line c${colour}${dash ? ' dashed' : ''}`, 'aria-hidden': 'true' }),
        label,
      ),
    )
    return el('figcaption', {}, el('strong', {}, title), el('small', {}, ` ${unit} `), ...keys)
  }

  #create(): void {
    const width = this.#place.clientWidth
    if (width === 0) return
    const colours = getComputedStyle(document.documentElement)
    const axis = {
      stroke: colours.getPropertyValue('--muted'),
      grid: { stroke: colours.getPropertyValue('--line'), width: 1 },
    }
    const { series, xUnit } = this.#options
    this.#plot = new uPlot(
      {
        width,
        height: HEIGHT,
        legend: { show: false },
        cursor: { drag: { x: false, y: false } },
        scales: {
          x: { time: xUnit === undefined },
          y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 1) * 1.08)] },
        },
        axes: [
          {
            ...axis,
            ...{ space: 70, size: 30 },
            ...(xUnit === undefined
              ? { values: (_plot, splits, _axis, _space, step) => moments(splits, step) }
              : {}),
          },
          { ...axis, size: 52 },
        ],
        series: [
          {},
          ...series.map(({ label, colour, dash, filled, points, joined }) => {
            const stroke = colours.getPropertyValue(`--c${colour}`).trim()
            return {
              label,
              stroke,
              width: 2,
              ...(dash ? { dash: [...dash] } : {}),
              ...(filled ? { fill: `${stroke}22` } : {}),
              points: { show: points === true, size: 6, fill: stroke },
              spanGaps: joined === true,
            }
          }),
        ],
      },
      this.#data as uPlot.AlignedData,
      this.#place,
    )
  }

  #fit(): void {
    const width = this.#place.clientWidth
    if (this.#plot === null) this.#create()
    else if (Math.abs(this.#plot.width - width) > 1) this.#plot.setSize({ width, height: HEIGHT })
  }
}
