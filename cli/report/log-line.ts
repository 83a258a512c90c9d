/** A line of an access log. */
export interface LogLine {
  readonly atMs: number
  /** Who: address and user agent, as far as they are known. */
  readonly client: string
  readonly status: number
  /** null: the log does not have it. */
  readonly durationMs: number | null
}

/** The Common or Combined Log Format, or a line of JSON. null: it is neither. */
export function readLogLine(line: string): LogLine | null {
  return line.startsWith('{') ? jsonLine(line) : textLine(line)
}

/** The time is short. Without a bound a line of many brackets would take a time that grows with the square of its length. */
const COMMON = /^(\S+) \S+ .*?\[([^\]]{1,40})\] "[^"]*" (\d{3}) (?:\d+|-)(.*)$/
const AGENT = /^ "(?:[^"\\]|\\.)*" "((?:[^"\\]|\\.)*)"(.*)$/

function textLine(line: string): LogLine | null {
  const [, address, time, status, rest] = COMMON.exec(line) ?? []
  if (address === undefined) return null
  const atMs = logTime(time!)
  if (atMs === null) return null
  const [, agent = '', after = rest!] = AGENT.exec(rest!) ?? []
  return {
    atMs,
    client: `${address} ${agent}`,
    status: Number(status),
    durationMs: trailingDuration(after),
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `17/Nov/2026:18:02:11 +0100`. */
function logTime(text: string): number | null {
  const form = /^(\d{2})\/(\w{3})\/(\d{4}):(\d{2}):(\d{2}):(\d{2})(?: ([+-])(\d{2})(\d{2}))?$/
  const [, day, month, year, hour, minute, second, sign, zoneH, zoneM] = form.exec(text) ?? []
  const monthIndex = MONTHS.indexOf(month ?? '')
  if (monthIndex < 0) return null
  const utc = Date.UTC(+year!, monthIndex, +day!, +hour!, +minute!, +second!)
  const zoneMs = sign === undefined ? 0 : (+zoneH! * 60 + +zoneM!) * 60_000
  return sign === '-' ? utc + zoneMs : utc - zoneMs
}

/** nginx writes seconds with a point (`$request_time`), Apache whole microseconds (`%D`). */
function trailingDuration(text: string): number | null {
  const [, named] = /\b(?:rt|request_time|time|duration)=(\d+\.\d+)/.exec(text) ?? []
  if (named !== undefined) return finite(Number(named) * 1000)
  const [, last] = /(?:^|\s)(\d+(?:\.\d+)?)\s*$/.exec(text) ?? []
  if (last === undefined) return null
  return finite(last.includes('.') ? Number(last) * 1000 : Number(last) / 1000)
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null)

/** The names that common servers and CDNs use. A duration has its unit in milliseconds beside it. */
const TIMES = [
  'time',
  'timestamp',
  '@timestamp',
  'ts',
  'time_iso8601',
  'EdgeStartTimestamp',
  'datetime',
]
const STATUSES = ['status', 'status_code', 'response_status', 'EdgeResponseStatus', 'sc_status']
const ADDRESSES = ['remote_addr', 'client_ip', 'ip', 'ClientIP', 'remote_ip', 'c_ip', 'host']
const AGENTS = ['http_user_agent', 'user_agent', 'userAgent', 'ClientRequestUserAgent']
const DURATIONS: Readonly<Record<string, number>> = {
  ...{ duration_ms: 1, durationMs: 1, response_time_ms: 1, latency_ms: 1, elapsed_ms: 1 },
  ...{ OriginResponseDurationMs: 1, OriginResponseTime: 1e-6 },
  ...{ request_time: 1000, duration: 1000, response_time: 1000, time_taken: 1000, latency: 1000 },
}

function jsonLine(line: string): LogLine | null {
  let entry: Readonly<Record<string, unknown>>
  try {
    entry = JSON.parse(line)
  } catch {
    return null
  }
  const first = (names: readonly string[]): unknown =>
    names.map((name) => entry[name]).find((value) => value !== undefined)
  const atMs = timeOf(first(TIMES))
  const status = numberOf(first(STATUSES))
  if (atMs === null || !(status >= 100 && status < 600)) return null
  const duration = Object.entries(DURATIONS).find(([name]) => numberOf(entry[name]) >= 0)
  return {
    atMs,
    client: `${textOf(first(ADDRESSES))} ${textOf(first(AGENTS))}`,
    status,
    durationMs: duration === undefined ? null : finite(numberOf(entry[duration[0]]) * duration[1]),
  }
}

/** An object may have a `toString` that is no function, so only texts and numbers are converted. */
const isScalar = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

const numberOf = (value: unknown): number => (isScalar(value) ? Number(value) : Number.NaN)

const textOf = (value: unknown): string => (isScalar(value) ? String(value) : '')

/** The year 2286 in nanoseconds. */
const LATEST_NS = 1e19

/** A date as a text, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970. */
function timeOf(value: unknown): number | null {
  if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value)) {
    const atMs = Date.parse(value)
    return Number.isNaN(atMs) ? logTime(value) : atMs
  }
  const number = typeof value === 'string' ? Number(value) : value
  if (typeof number !== 'number' || !(number > 0 && number < LATEST_NS)) return null
  if (number < 1e11) return number * 1000
  if (number < 1e14) return number
  return number < 1e17 ? number / 1000 : number / 1e6
}
