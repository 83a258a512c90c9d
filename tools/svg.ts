import { escaped } from './escaped.ts'

/** Building blocks of SVG pictures: frame, scales, lines and text. */

export const INK = '#0f172a'
const MUTED = '#475569'
export const SHADE = '#f1f5f9'
export const GOOD = '#0f766e'
export const BAD = '#c2410c'

/** Maps a value to a position in the picture. */
export type Scale = (value: number) => number

export interface Span {
  readonly from: number
  readonly to: number
}

/** A linear scale from one span to another. */
export function scaleOf(values: Span, places: Span): Scale {
  const perValue = (places.to - places.from) / (values.to - values.from)
  return (value) => places.from + (value - values.from) * perValue
}

/** The edges of a plot in its picture. */
export interface Plot {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

interface Frame {
  readonly width: number
  readonly height: number
  readonly title: string
  /** Left edge of the title. */
  readonly left: number
}

export function svgOf({ width, height, title, left }: Frame, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>`,
    words({ x: left, y: 30, text: title, fill: INK, size: 18, weight: 600 }),
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}

interface Words {
  readonly x: number
  readonly y: number
  readonly text: string
  /** @default muted */
  readonly fill?: string
  readonly anchor?: 'start' | 'middle' | 'end'
  readonly size?: number
  readonly weight?: number
}

export function words({ x, y, text, fill = MUTED, anchor, size, weight }: Words): string {
  const more = [
    anchor === undefined ? '' : ` text-anchor="${anchor}"`,
    size === undefined ? '' : ` font-size="${size}"`,
    weight === undefined ? '' : ` font-weight="${weight}"`,
  ].join('')
  return `<text x="${at(x)}" y="${at(y)}"${more} fill="${fill}">${escaped(text)}</text>`
}

/** A key of the legend: a square of colour and its text. */
export function legendKey(x: number, y: number, color: string, text: string): string {
  const patch = `<rect x="${at(x)}" y="${at(y - 12)}" width="14" height="14" rx="3" fill="${color}"/>`
  return patch + words({ x: x + 22, y, text, fill: INK })
}

/** A filled rectangle. */
export function patch(x: Span, y: Span, fill: string): string {
  return `<rect x="${at(x.from)}" y="${at(y.from)}" width="${at(x.to - x.from)}" height="${at(y.to - y.from)}" fill="${fill}"/>`
}

export type Point = readonly [x: number, y: number]

interface Stroke {
  readonly color: string
  /** @default 1 */
  readonly width?: number
  readonly dashes?: string | undefined
}

export function polyline(points: readonly Point[], { color, width = 1, dashes }: Stroke): string {
  const dashed = dashes === undefined ? '' : ` stroke-dasharray="${dashes}"`
  return `<polyline points="${places(points)}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linejoin="round"${dashed}/>`
}

/** A horizontal line across a plot. */
export function level(
  { left, right }: Pick<Plot, 'left' | 'right'>,
  y: number,
  dashes?: string,
  color = MUTED,
): string {
  const ends: Point[] = [
    [left, y],
    [right, y],
  ]
  return polyline(ends, { color, dashes })
}

export function polygon(points: readonly Point[], fill: string): string {
  return `<polygon points="${places(points)}" fill="${fill}"/>`
}

const places = (points: readonly Point[]): string =>
  points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')

/** Rounded to a tenth of a pixel. */
export const at = (place: number): string => String(Math.round(place * 10) / 10)
