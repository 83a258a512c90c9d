/** How numbers read in the sentences that an operator sees. */

/** About three digits: 940, 92, 9.4, 0.25. */
export function amountText(value: number): string {
  if (value >= 100) return String(Math.round(value))
  return String(Number(value.toPrecision(value >= 10 ? 2 : 2)))
}

/** "10 times", "1.4 times". */
export function timesText(factor: number): string {
  return `${factor >= 9.95 ? Math.round(factor) : Number(factor.toFixed(1))} times`
}

/** A part from 0 to 1 in per cent: "3 %", "0.4 %". */
export function partText(part: number): string {
  const percent = part * 100
  return `${percent >= 1 ? Math.round(percent) : Number(percent.toPrecision(1))} %`
}

/** "180 ms", "1.8 s". */
export function timeText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toPrecision(2))} s`
}

/** "a", "a and b", "a, b and c". */
export function joined(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('')
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
