import type { MinuteFigures } from '../../../src/coordinator/last-minute.ts'
import type { RouteStatus } from '../../../src/coordinator/operator/route-status.ts'
import type { LocalGate } from '../../../tools/local-gate.ts'
import { send } from './client.ts'

/** The counts of the last minute: its rates times its length. */
export type Counts = Omit<
  MinuteFigures,
  'seconds' | 'admits' | 'refusals' | 'degrades' | 'redirects' | 'p50Ms' | 'p95Ms' | 'p99Ms'
>

/** For `expect.poll`: reports are sent once a second, over a relay, and show after a tick. */
export const WHEN_REPORTED = { timeout: 30_000, interval: 100 } as const

/** For a route's `bypass`: requests that only carry a report pass uncounted. */
export const BYPASS = [{ header: { 'X-Carrier': true } }] as const

export async function statusOf(gate: LocalGate, name: string): Promise<RouteStatus> {
  const headers = { Authorization: `Bearer ${gate.adminToken}` }
  const { text } = await send(`${gate.url}/_tidegate/api/v1/routes`, { headers })
  const { routes } = JSON.parse(text) as { routes: RouteStatus[] }
  const status = routes.find((route) => route.name === name)
  if (!status) throw new Error(`No route ${name} in ${text}`)
  return status
}

/** Reports are sent only behind requests, so this first sends one that is not counted. */
export async function countsOf(
  gate: LocalGate,
  name: string,
  path = '/carrier',
): Promise<Counts | null> {
  await send(`${gate.url}${path}`, { headers: { 'X-Carrier': '1' } })
  const { lastMinute } = await statusOf(gate, name)
  return lastMinute === null ? null : toCounts(lastMinute)
}

export function toCounts(figures: MinuteFigures): Counts {
  const { seconds, p50Ms: _50, p95Ms: _95, p99Ms: _99, inFlight, ...rest } = figures
  const {
    admits: _in,
    refusals: _out,
    waits: _wait,
    degrades: _less,
    redirects: _away,
    ...rates
  } = rest
  const counts = Object.entries(rates).map(([key, rate]) => [key, Math.round(rate * seconds)])
  return { ...(Object.fromEntries(counts) as Omit<Counts, 'inFlight'>), inFlight }
}
