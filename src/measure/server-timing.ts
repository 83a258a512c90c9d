/** The time that a request needed, as the origin reports it. */
export interface ServerUse {
  /** R_cpu; null: not reported. */
  readonly cpuMs: number | null
  /** R_data: disk, database, calls to other services. */
  readonly dataMs: number
}

/** Other metrics are ignored: `total` is a sum, and caches and proxies add metrics of their own. */
const CPU_METRICS = new Set(['cpu', 'app', 'render'])
const DATA_METRICS = new Set(['db', 'sql', 'redis', 'disk', 'io', 'net', 'fetch', 'api', 'storage'])

/** Only so many characters are read, because this runs for every response. */
const LONGEST = 2000
/** Eleven days. More is no time of a request, and sums of it would be infinite. */
const LARGEST_MS = 1e9

/** Reads `Server-Timing: cpu;dur=12.5, db;desc="users, by id";dur=30`. Never throws. */
export function serverUseOf(header: string): ServerUse {
  let cpuMs: number | null = null
  let dataMs = 0
  for (const { name, ms } of timingsOf(header)) {
    if (CPU_METRICS.has(name)) cpuMs = (cpuMs ?? 0) + ms
    else if (DATA_METRICS.has(name)) dataMs += ms
  }
  return { cpuMs, dataMs }
}

/** The metrics that have a duration, in the order of the header. A name may come several times. Never throws. */
export function timingsOf(
  header: string,
): readonly { readonly name: string; readonly ms: number }[] {
  const timings: { name: string; ms: number }[] = []
  for (const metric of unquoted(header.slice(0, LONGEST)).split(',')) {
    const [name = '', ...parameters] = metric.split(';').map((part) => part.trim().toLowerCase())
    const duration = parameters.find((parameter) => parameter.startsWith('dur='))
    const ms = Number.parseFloat(duration?.slice('dur='.length) ?? '')
    if (ms >= 0 && ms <= LARGEST_MS) timings.push({ name, ms })
  }
  return timings
}

/** Removes commas and semicolons in quoted descriptions, because they would split the list in the wrong place. */
function unquoted(header: string): string {
  return header.replace(/"(?:[^"\\]|\\.)*"/g, (quoted) => quoted.replace(/[",;\\]/g, ''))
}
