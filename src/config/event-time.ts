/** Times of events: ISO 8601 with an offset, or local time in a time zone. */

const WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/
const LOCAL = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?$/

export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

/**
 * The instant of a time; null: there is none, because the text has another form, or because clocks go forward over this
 * local time. Of a local time that comes twice, the first one counts.
 */
export function instantOf(text: string, zone: string | null): number | null {
  if (WITH_OFFSET.test(text)) {
    const ms = Date.parse(text)
    return Number.isNaN(ms) ? null : ms
  }
  const parts = LOCAL.exec(text)
  if (parts === null || zone === null) return null
  const [year, month, day, hour, minute, second = 0] = parts
    .slice(1)
    .map((part) => (part === undefined ? 0 : Number(part)))
  const asUtcMs = Date.UTC(year!, month! - 1, day!, hour!, minute!, second)
  if (new Date(asUtcMs).getUTCDate() !== day) return null
  // The offset of the zone around this time, before and after a change of the clocks. The larger one is earlier.
  const offsets = [asUtcMs - DAY_MS, asUtcMs + DAY_MS].map((ms) => offsetMs(ms, zone))
  const candidates = offsets.map((offset) => asUtcMs - offset).sort((a, b) => a - b)
  return candidates.find((ms) => ms + offsetMs(ms, zone) === asUtcMs) ?? null
}

const DAY_MS = 86_400_000

/** What the clocks of the zone are ahead of UTC at this instant. */
function offsetMs(ms: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(ms)
  const of = (type: string): number => Number(parts.find((part) => part.type === type)!.value)
  const local = Date.UTC(
    ...([of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second')] as const),
  )
  return local - Math.floor(ms / 1000) * 1000
}
