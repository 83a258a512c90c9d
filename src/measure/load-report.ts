/** The load of a server in the header `endpoint-load-metrics` (ORCA, Open Request Cost Aggregation). */
export interface LoadReport {
  /** From 0 to 1, by the name of the resource. `cpu_utilization` is `cpu`, `application_utilization` is `app`. */
  readonly utilisations: ReadonlyMap<string, number>
  /** 0: not reported. */
  readonly requestsPerSecond: number
}

/** Only so many characters and metrics are read, because this runs for every response. */
const LONGEST = 2000
const MOST_METRICS = 50

/**
 * Reads `TEXT cpu_utilization=0.3, rps_fractional=120, named_metrics.db=0.7` and `JSON {"cpu_utilization": 0.3, …}`.
 * Never throws. A header of another form says nothing.
 */
export function loadReportOf(header: string): LoadReport {
  const text = header.slice(0, LONGEST).trim()
  const space = text.indexOf(' ')
  const format = text.slice(0, space).toUpperCase()
  const rest = text.slice(space + 1)
  const pairs = format === 'JSON' ? jsonPairs(rest) : format === 'TEXT' ? textPairs(rest) : []
  const utilisations = new Map<string, number>()
  let requestsPerSecond = 0
  for (const [name, value] of pairs.slice(0, MOST_METRICS)) {
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) continue
    if (name === 'rps_fractional') requestsPerSecond = value
    else utilisations.set(NAMES.get(name) ?? name.replace(NAMED, ''), value)
  }
  return { utilisations, requestsPerSecond }
}

const NAMED = /^(named_metrics|utilization)\./
const NAMES: ReadonlyMap<string, string> = new Map([
  ['cpu_utilization', 'cpu'],
  ['application_utilization', 'app'],
  ['mem_utilization', 'mem'],
])

function textPairs(text: string): readonly (readonly [string, number])[] {
  return text.split(',').map((pair) => {
    const [name = '', value = ''] = pair.split('=')
    return [name.trim().toLowerCase(), Number.parseFloat(value)] as const
  })
}

function jsonPairs(text: string): readonly (readonly [string, number])[] {
  try {
    return pairsOf(JSON.parse(text), '')
  } catch {
    return []
  }
}

function pairsOf(value: unknown, prefix: string): readonly (readonly [string, number])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    typeof inner === 'number'
      ? [[`${prefix}${name.toLowerCase()}`, inner] as const]
      : prefix === ''
        ? pairsOf(inner, `${name.toLowerCase()}.`)
        : [],
  )
}
