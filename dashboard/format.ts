/** Three digits are enough to read: 0.42, 12.3, 940, 1,240. */
export function rate(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

export function milliseconds(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return '–'
  return ms >= 10_000 ? `${rate(ms / 1000)} s` : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`
}

export function percent(part: number): string {
  if (!Number.isFinite(part)) return '–'
  const value = 100 * part
  return `${value > 0 && value < 1 ? value.toFixed(1) : value.toFixed(0)} %`
}

export function clock(atMs: number): string {
  return new Date(atMs).toLocaleTimeString('en-GB')
}

/** The day is said only if it is not today. */
export function moment(atMs: number, nowMs: number): string {
  const date = new Date(atMs)
  const isToday = date.toDateString() === new Date(nowMs).toDateString()
  return isToday ? clock(atMs) : `${date.toLocaleDateString('en-GB')} ${clock(atMs)}`
}

/** "in 4 min", "in 30 s". */
export function timeLeft(untilMs: number, nowMs: number): string {
  const seconds = Math.max(0, Math.round((untilMs - nowMs) / 1000))
  if (seconds < 90) return `in ${seconds} s`
  if (seconds < 5400) return `in ${Math.round(seconds / 60)} min`
  return seconds < 48 * 3600
    ? `in ${Math.round(seconds / 3600)} h`
    : `in ${Math.round(seconds / 86_400)} days`
}
