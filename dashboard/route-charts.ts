import type { TrafficPoint } from '../src/coordinator/operator/traffic-point.ts'
import type { ShownStatus } from './api.ts'
import { Chart, type ChartData } from './chart.ts'
import { el } from './dom.ts'
import { milliseconds, rate } from './format.ts'

const last = (data: ChartData, row: number): number | null => data[row]?.at(-1) ?? null

interface CurveColumn {
  readonly load: number
  readonly value: number | null
  readonly now: number | null
  readonly limit: number | null
}

/** The charts of one route over time, and its learned curve. */
export class RouteCharts {
  readonly element: HTMLElement
  readonly #traffic: Chart
  readonly #times: Chart
  readonly #limit: Chart
  readonly #inFlight: Chart
  readonly #curve: Chart
  readonly #noCurve = el(
    'p',
    { class: 'muted' },
    'Nothing learned yet: the curve appears with the first load.',
  )

  constructor(isSession: boolean) {
    const asked = isSession ? 'new sessions/s' : 'requests/s'
    this.#traffic = new Chart({
      title: 'Who asks, who gets in',
      unit: asked,
      series: [
        { label: 'offered', colour: 1 },
        { label: 'admitted', colour: 2, filled: true },
        { label: 'refused', colour: 3, dash: [6, 4] },
        { label: 'told to wait', colour: 4, dash: [2, 3] },
      ],
      describe: (data) =>
        `Now ${rate(last(data, 1))} offered, ${rate(last(data, 2))} admitted and ${rate(last(data, 3))} refused per second.`,
    })
    this.#times = new Chart({
      title: 'Response times',
      unit: 'ms',
      series: [
        { label: 'p50', colour: 2 },
        { label: 'p95', colour: 1 },
        { label: 'p99', colour: 4, dash: [2, 3] },
        { label: 'target', colour: 3, dash: [8, 4] },
      ],
      describe: (data) =>
        `Now half of the answers take up to ${milliseconds(last(data, 1))}, 95 % up to ${milliseconds(last(data, 2))}. The target is ${milliseconds(last(data, 4))}.`,
    })
    this.#limit = new Chart({
      title: 'Limit against what is served',
      unit: isSession ? 'sessions/s and requests/s' : 'requests/s',
      series: [
        { label: `limit (${asked})`, colour: 3, dash: [8, 4] },
        { label: `admitted (${asked})`, colour: 2 },
        { label: 'goodput (requests/s)', colour: 1 },
      ],
      describe: (data) =>
        `The limit is ${rate(last(data, 1))}, ${rate(last(data, 2))} are admitted and ${rate(last(data, 3))} requests are served per second.`,
    })
    this.#inFlight = new Chart({
      title: 'Requests in flight',
      unit: 'at the origin',
      series: [{ label: 'in flight', colour: 1, filled: true }],
      describe: (data) => `Now ${rate(last(data, 1))}.`,
    })
    this.#curve = new Chart({
      title: 'What was learned about the origin',
      unit: 'response time in ms against load in requests/s',
      xUnit: 'requests/s',
      series: [
        { label: 'learned', colour: 1, points: true, joined: true },
        { label: 'target', colour: 3, dash: [8, 4] },
        { label: 'load now', colour: 2, points: true },
        { label: 'limit', colour: 4, dash: [2, 3] },
      ],
      describe: (data) => `${data[1]?.filter((value) => value !== null).length ?? 0} points.`,
    })
    this.#curve.element.append(this.#noCurve)
    this.element = el(
      'div',
      { class: 'charts' },
      ...[this.#traffic, this.#times, this.#limit, this.#inFlight, this.#curve].map(
        ({ element }) => element,
      ),
    )
  }

  showTraffic(points: readonly TrafficPoint[]): void {
    const column = (pick: (point: TrafficPoint) => number | null): (number | null)[] =>
      points.map(pick)
    const times = column(({ atMs }) => atMs / 1000)
    this.#traffic.show([
      times,
      column((p) => p.offered),
      column((p) => p.admitted),
      column((p) => p.refused),
      column((p) => p.queued),
    ])
    this.#times.show([
      times,
      column((p) => p.p50Ms),
      column((p) => p.p95Ms),
      column((p) => p.p99Ms),
      column((p) => p.targetMs),
    ])
    this.#limit.show([
      times,
      column((p) => p.limit),
      column((p) => p.admitted),
      column((p) => p.served),
    ])
    this.#inFlight.show([times, column((p) => p.inFlight)])
  }

  /** The curve, the target, the limit, and where the origin is now. */
  showCurve({ learner, learned, now, plan }: ShownStatus): void {
    const curve = learner.curve ?? []
    this.#noCurve.hidden = curve.length > 0
    if (curve.length === 0) return
    const targetMs = now?.targetMs ?? plan?.targetMs ?? null
    const limit = learned.requestsPerSecond
    const nothing = { value: null, now: null, limit: null } as CurveColumn
    const columns = [
      ...curve.map(({ load, value }) => ({ ...nothing, load, value })),
      ...(now === null || now.p95Ms === null
        ? []
        : [{ ...nothing, load: now.served, now: now.p95Ms }]),
      // A line from bottom to top.
      ...(limit === null
        ? []
        : [0, targetMs ?? 0].map((height) => ({ ...nothing, load: limit, limit: height }))),
    ].sort((a, b) => a.load - b.load)
    this.#curve.show([
      columns.map(({ load }) => load),
      columns.map(({ value }) => value),
      columns.map(() => targetMs),
      columns.map((column) => column.now),
      columns.map((column) => column.limit),
    ])
  }

  redraw(): void {
    for (const chart of [this.#traffic, this.#times, this.#limit, this.#inFlight, this.#curve])
      chart.redraw()
  }
}
