import type { Background } from '../lib/runtime.ts'
import { fetchOrThrow } from './fetch-or-throw.ts'
import type { ServerPool } from './server-pool.ts'

/** A server that takes longer counts as down. */
const PROBE_TIMEOUT_MS = 5000

/**
 * Sends a request to the servers that are down, every few seconds, and to all of them where checks are configured. It is the gate's own request and runs in the
 * background: the request of a visitor would wait for the timeout.
 */
export function probeServers(
  pool: ServerPool,
  nowMs: number,
  share: number,
  background: Background,
): void {
  for (const server of pool.takeProbes(nowMs, share)) background.waitUntil(probe(server, pool))
}

async function probe(
  server: string,
  { counters, timeoutMs, healthCheck }: ServerPool,
): Promise<void> {
  try {
    const [method, path] = healthCheck === null ? ['HEAD', '/'] : ['GET', healthCheck.path]
    const request = new Request(`${server}${path}`, { method, redirect: 'manual' })
    const signal = AbortSignal.timeout(Math.min(timeoutMs, PROBE_TIMEOUT_MS))
    const { status, body } = await fetchOrThrow(request, signal)
    await body?.cancel()
    if (healthCheck !== null && status >= 400) counters?.failedCheck(server)
    else counters?.answered(server)
  } catch {
    if (healthCheck === null) counters?.failed(server)
    else counters?.failedCheck(server)
  }
}
