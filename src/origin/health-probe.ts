import type { Background } from '../lib/runtime.ts'
import { fetchOrThrow } from './fetch-or-throw.ts'
import type { ServerPool } from './server-pool.ts'

/** Whoever takes longer is not back. */
const PROBE_WITHIN_MS = 5000

/**
 * Asks the servers that are down, now and then, whether they are back: with a request of our own behind somebody
 * else's, who does not wait for it. To send a visitor there would be to make some of them wait for a time-out.
 */
export function probeDown(pool: ServerPool, nowMs: number, background: Background): void {
  for (const server of pool.takeProbes(nowMs)) background.waitUntil(probe(server, pool))
}

async function probe(server: string, { tally, timeoutMs }: ServerPool): Promise<void> {
  try {
    await fetchOrThrow(`${server}/`, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(Math.min(timeoutMs, PROBE_WITHIN_MS)),
    })
    tally?.answered(server)
  } catch {
    tally?.failed(server)
  }
}
