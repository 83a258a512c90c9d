import type { Background } from '../lib/runtime.ts'
import { fetchOrThrow } from './fetch-or-throw.ts'
import type { ServerPool } from './server-pool.ts'

/** A server that takes longer counts as down. */
const PROBE_TIMEOUT_MS = 5000

/**
 * Sends a request to the servers that are down, every few seconds. It is the gate's own request and runs in the
 * background: the request of a visitor would wait for the timeout.
 */
export function probeDown(pool: ServerPool, nowMs: number, background: Background): void {
  for (const server of pool.takeProbes(nowMs)) background.waitUntil(probe(server, pool))
}

async function probe(server: string, { counters, timeoutMs }: ServerPool): Promise<void> {
  try {
    const request = new Request(`${server}/`, { method: 'HEAD', redirect: 'manual' })
    await fetchOrThrow(request, AbortSignal.timeout(Math.min(timeoutMs, PROBE_TIMEOUT_MS)))
    counters?.answered(server)
  } catch {
    counters?.failed(server)
  }
}
