import type { SocLqrState } from '../../src/learners/soc-lqr/state.ts'
import {
  BAD,
  GOOD,
  INK,
  legendKey,
  level,
  type Plot,
  type Point,
  patch,
  polyline,
  type Scale,
  SHADE,
  scaleOf,
  svgOf,
  words,
} from '../svg.ts'
import { percentileOver } from './series.ts'
import type { Surge, SurgeStep } from './surge.ts'

/** All signals of a surge over time, one below the other: rates, requests at the origin, capacity, response times, verdicts. */

const WIDTH = 820
const LEFT = 66
const RIGHT = WIDTH - 20
const FIRST_TOP = 96
const PANEL = 116
const GAP = 56
const LETTER = 6.9

const OFFERED = '#7c3aed'
const LIMIT = '#b45309'

interface Line {
  readonly text: string
  readonly color: string
  readonly dashes?: string
  readonly points: readonly Point[]
}

interface Panel {
  readonly title: string
  readonly lines: readonly Line[]
  /** Values with a line across; the first is the lower end, the last the upper one. */
  readonly ticks: readonly number[]
  readonly isLogarithmic?: boolean
}

export function surgePicture(surge: Surge): string {
  const panels = [ratesOf, insideOf, capacityOf, responseOf, judgedOf].map((of) => of(surge))
  const height = FIRST_TOP + panels.length * (PANEL + GAP) - GAP + 48
  const x = scaleOf(
    { from: SHOWN_BEFORE_S - surge.onsetS, to: surge.endS - surge.onsetS },
    { from: LEFT, to: RIGHT },
  )
  const title = `soc-lqr in a surge on a ${surge.granularity} route`
  return svgOf({ width: WIDTH, height, title, left: LEFT }, [
    ...panels.flatMap((panel, i) => {
      const top = FIRST_TOP + i * (PANEL + GAP)
      return drawn(panel, { left: LEFT, right: RIGHT, top, bottom: top + PANEL }, x)
    }),
    ...secondsOf(surge, x, height - 18),
  ])
}

/** The first ticks of a start are another story. */
const SHOWN_BEFORE_S = 20

function drawn(panel: Panel, plot: Plot, x: Scale): readonly string[] {
  const of = panel.isLogarithmic ? Math.log : (value: number) => value
  const [least, most] = [panel.ticks[0]!, panel.ticks.at(-1)!]
  const linear = scaleOf({ from: of(least), to: of(most) }, { from: plot.bottom, to: plot.top })
  const y = (value: number): number => linear(of(Math.min(most, Math.max(least, value))))
  let keyX = LEFT
  const keys = panel.lines.map(({ text, color }) => {
    const key = legendKey(keyX, plot.top - 10, color, text)
    keyX += 40 + LETTER * text.length
    return key
  })
  return [
    words({ x: LEFT, y: plot.top - 32, text: panel.title, size: 13 }),
    ...keys,
    patch({ from: x(0), to: plot.right }, { from: plot.top, to: plot.bottom }, SHADE),
    ...panel.ticks.flatMap((value) => [
      level(plot, y(value), '2 4'),
      words({ x: LEFT - 8, y: y(value) + 4, text: String(value), anchor: 'end', size: 13 }),
    ]),
    ...panel.lines.map(({ points, color, dashes }) =>
      polyline(
        points.map(([second, value]) => [x(second), y(value)]),
        { color, width: dashes === undefined ? 2 : 1.5, dashes },
      ),
    ),
  ]
}

function ratesOf(surge: Surge): Panel {
  const isSession = surge.granularity === 'session'
  const unit = isSession ? 'sessions' : 'requests'
  const { saturation } = surge
  return {
    title: `${isSession ? 'New sessions' : 'Requests'} per second (logarithmic)`,
    isLogarithmic: true,
    ticks: [saturation / 10, saturation / 2, saturation, 10 * saturation],
    lines: [
      line('offered', OFFERED, surge, ({ sample }) => sample.offered[unit]),
      line('limit', LIMIT, surge, ({ decision }) => decision.limit ?? Number.NaN),
      line('admitted', GOOD, surge, ({ sample }) => sample.admitted[unit]),
      across('what the origin can take', surge, saturation),
    ],
  }
}

function insideOf(surge: Surge): Panel {
  return {
    title: 'Requests at the origin (8 servers)',
    ticks: surge.granularity === 'session' ? [0, 100, 200, 300] : [0, 8, 20, 40],
    lines: [
      line('inside', GOOD, surge, ({ sample }) => sample.inFlight),
      line('cap', LIMIT, surge, ({ decision }) => decision.inFlightCap ?? Number.NaN),
    ].filter(({ points }) => points.length > 0),
  }
}

function capacityOf(surge: Surge): Panel {
  const { capacity } = surge
  return {
    title: 'Capacity in requests per second',
    ticks: [0, capacity / 2, capacity, 2 * capacity],
    lines: [
      line('served', GOOD, surge, ({ sample }) => sample.goodput),
      line(
        'C, or the load that is allowed while C is not known',
        LIMIT,
        surge,
        ({ state }) => state.capacity.rate ?? state.reach.load,
      ),
      across('the true one', surge, capacity),
    ],
  }
}

const PERCENTILE_TICKS = 2

function responseOf(surge: Surge): Panel {
  const { trace, targetMs, onsetS } = surge
  const percentiles = percentileOver(trace, PERCENTILE_TICKS)
  return {
    title: `Response time in ms, target ${targetMs} ms`,
    ticks: [0, targetMs / 2, targetMs, 2 * targetMs],
    lines: [
      {
        text: '95th percentile of 2 s',
        color: BAD,
        points: shown(
          percentiles.map(({ second, value }): Point => [second - onsetS, value]),
          surge,
        ),
      },
      across('target', surge, targetMs),
    ],
  }
}

/** What each interval shows, and what follows from it. */
function judgedOf(surge: Surge): Panel {
  const { trimmed, pick, ticks } = TRIMMED[surge.granularity]
  return {
    title: `Queueing z and spending s of each interval, and ${trimmed} (logarithmic)`,
    isLogarithmic: true,
    ticks,
    lines: [
      line('z', OFFERED, surge, ({ verdict }) => verdict?.queueing ?? Number.NaN),
      line('s', BAD, surge, ({ verdict }) => verdict?.spent ?? Number.NaN),
      line(trimmed, GOOD, surge, ({ state }) => pick(state)),
      across('the whole allowance', surge, 1),
    ],
  }
}

/** What the integrator moves. Sessions that are too many make a far longer queue. */
const TRIMMED = {
  request: {
    trimmed: 'trim',
    pick: ({ point }: SocLqrState) => point.trim,
    ticks: [0.1, 0.3, 1, 3],
  },
  session: {
    trimmed: 'spare',
    pick: ({ point }: SocLqrState) => point.spare,
    ticks: [0.01, 0.1, 1, 10],
  },
} as const

function line(text: string, color: string, surge: Surge, pick: (step: SurgeStep) => number): Line {
  const points = surge.steps
    .map((step): Point => [step.second - surge.onsetS, pick(step)])
    .filter(([, value]) => Number.isFinite(value))
  return { text, color, points: shown(points, surge) }
}

function across(text: string, { onsetS, endS }: Surge, value: number): Line {
  const points: Point[] = [
    [SHOWN_BEFORE_S - onsetS, value],
    [endS - onsetS, value],
  ]
  return { text, color: INK, dashes: '5 4', points }
}

const shown = (points: readonly Point[], { onsetS }: Surge): readonly Point[] =>
  points.filter(([second]) => second >= SHOWN_BEFORE_S - onsetS)

function secondsOf({ onsetS, endS }: Surge, x: Scale, y: number): readonly string[] {
  const last = endS - onsetS
  const marks = [-20, 0, 10, 20, 30, 40, 50, 60, 70, 80, 90].filter(
    (second) => second >= SHOWN_BEFORE_S - onsetS && second <= last,
  )
  return marks.map((second) =>
    words({
      x: x(second),
      y,
      text: second === 0 ? 'onset' : `${second} s`,
      anchor: second === last ? 'end' : 'middle',
      size: 13,
    }),
  )
}
