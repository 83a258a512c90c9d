/** What a request used, as its origin says. */
export interface ServerUse {
  /** R_cpu; null when the origin does not say it. */
  readonly cpuMs: number | null
  /** R_data: disk, database, calls to others. */
  readonly dataMs: number
}

/** Only parts: `total` is a whole, and caches and proxies on the way add metrics of their own. */
const CPU_METRICS = new Set(['cpu', 'app', 'render'])
const DATA_METRICS = new Set(['db', 'sql', 'redis', 'disk', 'io', 'net', 'fetch', 'api', 'storage'])

/** The header is read for every answer: what is beyond this is cut off. */
const LONGEST = 2000

/** Reads `Server-Timing: cpu;dur=12.5, db;desc="users, by id";dur=30`. Never throws. */
export function serverUseOf(header: string): ServerUse {
  let cpuMs: number | null = null
  let dataMs = 0
  for (const metric of unquoted(header.slice(0, LONGEST)).split(',')) {
    const [name = '', ...parameters] = metric.split(';').map((part) => part.trim().toLowerCase())
    const duration = parameters.find((parameter) => parameter.startsWith('dur='))
    const ms = Number.parseFloat(duration?.slice('dur='.length) ?? '')
    if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY)) continue
    if (CPU_METRICS.has(name)) cpuMs = (cpuMs ?? 0) + ms
    else if (DATA_METRICS.has(name)) dataMs += ms
  }
  return { cpuMs, dataMs }
}

/**
 * A quoted description may hold commas and semicolons, which would cut the list in wrong places.
 */
function unquoted(header: string): string {
  return header.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => quoted.replace(/[",;\\]/g, ''))
}
