/** The range of a number: which values are in it, and how error texts name it. */
export interface NumberRange {
  readonly min?: number
  readonly max?: number
  readonly above?: number
  readonly below?: number
  readonly whole?: boolean
  readonly unit?: Unit
}

type Unit = 'milliseconds' | 'seconds' | 'per second' | 'per cent'

export const MS = 'milliseconds'
export const RATE = { min: 0, max: 1_000_000, unit: 'per second' } as const

export function inRange(value: number, { min, max, above, below, whole }: NumberRange): boolean {
  if (!Number.isFinite(value) || (whole && !Number.isInteger(value))) return false
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) return false
  return !((above !== undefined && value <= above) || (below !== undefined && value >= below))
}

/** `a whole number from 100 to 60000 (milliseconds)`, `a number from 0 to below 1`, `a number above 0`. */
export function rangeText(range: NumberRange): string {
  const kind = range.whole ? 'a whole number' : 'a number'
  return [kind, endsText(range), range.unit ? `(${range.unit})` : ''].filter(Boolean).join(' ')
}

function endsText({ min, max, above, below }: NumberRange): string {
  const upTo = below !== undefined ? `below ${below}` : max !== undefined ? `up to ${max}` : ''
  if (above !== undefined) return upTo === '' ? `above ${above}` : `above ${above}, ${upTo}`
  if (min === undefined) return upTo
  return upTo === '' ? `of at least ${min}` : `from ${min} to ${upTo.replace('up to ', '')}`
}

/** `5/s`, `5 rps`, `300/min`, `300 per minute`. */
function perSecond(amount: number, suffix: string): number | null {
  const [, time] =
    /^(?:[a-z]*\s*(?:\/|per)\s*|[rq]p(?=[smh]$))(s|sec|second|m|min|minute|h|hour)$/i.exec(
      suffix,
    ) ?? []
  if (time === undefined) return null
  const seconds = { s: 1, m: 60, h: 3600 }[time[0]!.toLowerCase() as 's' | 'm' | 'h']
  return Math.round((amount / seconds) * 1e4) / 1e4
}

const MS_PER: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1e3,
  m: 6e4,
  min: 6e4,
  h: 3.6e6,
  d: 8.64e7,
}

/** What to write instead of the input; `otherwise` where the input does not show what the user means. */
export function numberRemedy(input: unknown, range: NumberRange, otherwise: string): string {
  const meant = meantNumber(input, range)
  if (meant !== null) return `Write ${meant}.`
  const fromSeconds = secondsAsMs(input, range)
  if (fromSeconds === null) return otherwise
  return `Write ${fromSeconds} for ${input} s: it is in milliseconds.`
}

/** A number that is too small as milliseconds but fits as seconds. */
function secondsAsMs(input: unknown, range: NumberRange): number | null {
  const { unit, min = 0 } = range
  if (unit !== 'milliseconds' || typeof input !== 'number' || input >= min) return null
  const ms = Math.round(input * 1e6) / 1e3
  return inRange(ms, range) ? ms : null
}

/** The number that is meant by `"500ms"`, by `"2 s"` or, for 95 per cent, by 0.95. null: unknown. */
function meantNumber(input: unknown, range: NumberRange): number | null {
  const value = typeof input === 'string' ? readNumber(input, range.unit) : input
  if (typeof value !== 'number') return null
  if (typeof input === 'string' && inRange(value, range)) return value
  const percent = Math.round(value * 1e4) / 100
  return range.unit === 'per cent' && value < 1 && inRange(percent, range) ? percent : null
}

function readNumber(text: string, unit: Unit | undefined): number | null {
  const [, digits, suffix = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z%/ ]*?)\s*$/i.exec(text) ?? []
  if (digits === undefined) return null
  if (suffix === '') return Number(digits)
  if (unit === 'per second') return perSecond(Number(digits), suffix)
  if (suffix === '%') return unit === 'per cent' ? Number(digits) : null
  const factor = Object.hasOwn(MS_PER, suffix) ? MS_PER[suffix]! : null
  if (factor === null) return null
  if (unit === 'milliseconds') return Number(digits) * factor
  return unit === 'seconds' ? (Number(digits) * factor) / 1e3 : null
}
