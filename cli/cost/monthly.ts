/** What Cloudflare charges for a gate in a month, by its list prices (Workers Paid, read 2026-11). Dollars. */
export const PRICES = {
  plan: 5,
  workerRequests: { included: 10e6, perMillion: 0.3 },
  /** In milliseconds of processor time. */
  workerCpu: { included: 30e6, perMillion: 0.02 },
  objectRequests: { included: 1e6, perMillion: 0.15 },
  /** In GB-s: an object in memory counts as 128 MB. */
  objectDuration: { included: 400_000, perMillion: 12.5 },
  rowsWritten: { included: 50e6, perMillion: 1 },
} as const

export const DAYS = 30
export const OBJECT_GB = 0.128

export interface Usage {
  /** Requests to the gate in a month, also refused ones. */
  readonly requests: number
  /** Origins: each has a coordinator. */
  readonly origins: number
  /** Data centres with traffic, on average over the busy hours. Each has a relay for each origin. */
  readonly dataCentres: number
  /** Isolates that report in a data centre, on average. */
  readonly isolates: number
  /** Hours of a day with traffic. Without traffic nothing runs. */
  readonly hoursPerDay: number
  /** Processor time of a request. */
  readonly cpuMs: number
}

export const USUAL: Omit<Usage, 'requests'> = {
  origins: 1,
  dataCentres: 5,
  isolates: 2,
  hoursPerDay: 24,
  cpuMs: 1,
}

export interface CostLine {
  readonly name: string
  readonly amount: number
  readonly unit: string
  readonly dollars: number
}

export function monthlyCost(usage: Usage): {
  readonly lines: readonly CostLine[]
  readonly dollars: number
} {
  const { requests, origins, dataCentres, isolates, hoursPerDay, cpuMs } = usage
  const seconds = hoursPerDay * 3600 * DAYS
  // Each isolate reports once a second to its relay, each relay to the coordinator, and an alarm begins each tick.
  const reports = seconds * origins * (dataCentres * isolates + dataCentres + 1)
  const objects = origins * (dataCentres + 1)
  // The alarm and the state of each tick.
  const rows = seconds * origins * 2
  const lines = [
    { name: 'plan', amount: 1, unit: 'month', dollars: PRICES.plan },
    line('requests', requests, 'requests', PRICES.workerRequests),
    line('processor time', requests * cpuMs, 'ms', PRICES.workerCpu),
    line('reports', reports, 'requests to objects', PRICES.objectRequests),
    line('coordinator and relays', seconds * objects * OBJECT_GB, 'GB-s', PRICES.objectDuration),
    line('stored state', rows, 'rows', PRICES.rowsWritten),
  ]
  return { lines, dollars: lines.reduce((sum, one) => sum + one.dollars, 0) }
}

interface Price {
  readonly included: number
  readonly perMillion: number
}

export function line(
  name: string,
  amount: number,
  unit: string,
  { included, perMillion }: Price,
): CostLine {
  const dollars = (Math.max(0, amount - included) / 1e6) * perMillion
  return { name, amount, unit, dollars }
}
