/** Numbers for people. */

export function rateText(perSecond: number): string {
  if (perSecond === 0) return '0/s'
  return `${perSecond >= 10 ? Math.round(perSecond) : Math.round(perSecond * 10) / 10}/s`
}

export function msText(ms: number | null): string {
  if (ms === null) return '-'
  return ms >= 10_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms)} ms`
}

/** `30 s`, `10 min`, `2 h`. */
export function spanText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`
}

export const percent = (part: number): string =>
  part > 0 && part < 0.01 ? 'below 1 %' : `${Math.round(part * 100)} %`

/** Seconds of `90`, `30s`, `10m` or `2h`. null: it is something else. */
export function secondsOf(text: string): number | null {
  const [, digits, unit = 's'] = /^(\d+(?:\.\d+)?)\s*(s|m|min|h|d)?$/.exec(text.trim()) ?? []
  if (digits === undefined) return null
  const seconds = Number(digits) * { s: 1, m: 60, min: 60, h: 3600, d: 86_400 }[unit]!
  return seconds > 0 ? Math.round(seconds) : null
}

const BARS = '▁▂▃▄▅▆▇█'

/** A line of small bars, the highest value as high as possible. */
export function sparkline(values: readonly number[]): string {
  const highest = Math.max(...values, 0)
  if (highest === 0) return BARS[0]!.repeat(values.length)
  const last = BARS.length - 1
  return values.map((value) => BARS[Math.round((Math.max(0, value) / highest) * last)]).join('')
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
