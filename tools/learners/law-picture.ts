import {
  INK,
  legendKey,
  level,
  type Plot,
  type Point,
  polyline,
  type Span,
  scaleOf,
  svgOf,
  words,
} from '../svg.ts'

/** A picture of a control law: its output over its input. */

const WIDTH = 560
const PLOT: Plot = { left: 66, right: WIDTH - 24, top: 64, bottom: 224 }

export interface Axis extends Span {
  readonly text: string
  readonly ticks: readonly (readonly [value: number, text: string])[]
}

interface Law {
  readonly color: string
  readonly text: string
  /** A step consists of two points with the same x. */
  readonly points: readonly Point[]
}

interface LawPicture {
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  readonly laws: readonly Law[]
}

export function lawPictureOf({ title, x, y, laws }: LawPicture): string {
  const { left, right, top, bottom } = PLOT
  const placeX = scaleOf(x, { from: left, to: right })
  const placeY = scaleOf(y, { from: bottom, to: top })
  const height = bottom + 56 + 22 * laws.length
  return svgOf({ width: WIDTH, height, title, left: 24 }, [
    words({ x: 24, y: top - 12, text: y.text, size: 13 }),
    ...y.ticks.flatMap(([value, text]) => [
      level(PLOT, placeY(value), '2 4'),
      words({ x: left - 8, y: placeY(value) + 4, text, anchor: 'end', size: 13 }),
    ]),
    polyline(
      [
        [left, top],
        [left, bottom],
        [right, bottom],
      ],
      { color: INK },
    ),
    ...x.ticks.map(([value, text]) =>
      words({ x: placeX(value), y: bottom + 18, text, anchor: 'middle', size: 13 }),
    ),
    words({ x: right, y: bottom + 36, text: x.text, anchor: 'end', size: 13 }),
    ...laws.map(({ points, color }) =>
      polyline(
        points.map(([input, output]) => [placeX(input), placeY(output)]),
        { color, width: 2.5 },
      ),
    ),
    ...laws.map(({ color, text }, i) => legendKey(left, bottom + 62 + 22 * i, color, text)),
  ])
}

/** Points of a law without steps. */
export function traceLaw({ from, to }: Span, law: (input: number) => number): readonly Point[] {
  const steps = 60
  return Array.from({ length: steps + 1 }, (_, i): Point => {
    const input = from + ((to - from) * i) / steps
    return [input, law(input)]
  })
}
