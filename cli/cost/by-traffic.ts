import { useAt } from './measured-use.ts'
import { type CostLine, DAYS, line, OBJECT_GB, PRICES } from './monthly.ts'

/** The coordinator's storage keeps each of its answers back for about this long. */
const COORDINATOR_S = 0.01
export interface TrafficCost {
  readonly lines: readonly CostLine[]
  /** Of these lines, in dollars: the requests to the Worker, and all that Durable Objects add. */
  readonly requests: number
  readonly objects: number
  /** What the objects cost, in percent of the requests; null: the requests are within what the plan includes. */
  readonly percent: number | null
}

/** The bill of a month with so many requests per second on average, from measured message counts. */
export function costAt(rps: number): TrafficCost {
  const seconds = rps > 0 ? 24 * 3600 * DAYS : 0
  const { relayRequests, coordinatorRequests, alarms, ticks, relayBusy } = useAt(rps)
  const calls = seconds * (relayRequests + coordinatorRequests + alarms)
  const busyS = seconds * (relayBusy + (coordinatorRequests + alarms) * COORDINATOR_S)
  const requests = line('requests', seconds * rps, 'requests', PRICES.workerRequests)
  const objects = [
    line('reports', calls, 'requests to objects', PRICES.objectRequests),
    line('coordinator and relays', busyS * OBJECT_GB, 'GB-s', PRICES.objectDuration),
    line('stored state', seconds * (alarms + ticks), 'rows', PRICES.rowsWritten),
  ]
  const sum = objects.reduce((total, one) => total + one.dollars, 0)
  return {
    lines: [requests, ...objects],
    ...{ requests: requests.dollars, objects: sum },
    percent: requests.dollars > 0 ? (100 * sum) / requests.dollars : null,
  }
}
