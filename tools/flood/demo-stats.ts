import { setTimeout as pause } from 'node:timers/promises'
import { request } from 'undici'
import type { DemoStats } from '../demo/shop.ts'

/** The flood's requests to the demo origin itself, on its own port and never through the gate. */

const ANSWER_MS = 5000
const POLL_MS = 250

/** null: there is no demo origin at this address. */
export async function readStats(origin: string): Promise<DemoStats | null> {
  try {
    const { statusCode, body } = await request(`${origin}/_demo/stats`, timeouts())
    if (statusCode !== 200) return null
    const stats = (await body.json()) as Partial<DemoStats> | null
    return typeof stats?.capacityPerSecond === 'number' && typeof stats.queueLength === 'number'
      ? (stats as DemoStats)
      : null
  } catch {
    return null
  }
}

/** Whether anything answers at this address. */
export async function answers(address: string): Promise<boolean> {
  try {
    const { body } = await request(`${address}/health`, timeouts())
    await body.dump()
    return true
  } catch {
    return false
  }
}

type Drained = { readonly kind: 'drained' } | { readonly kind: 'restarted'; dropped: number }

/**
 * Waits until the origin has emptied its queue after a flood. A collapsed origin would take minutes
 * for abandoned work, so after `withinMs` it is restarted, as its operator would do.
 */
export async function drain(
  origin: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<Drained> {
  const untilMs = performance.now() + withinMs
  while (performance.now() < untilMs && !signal.aborted) {
    const stats = await readStats(origin)
    if (stats !== null && stats.queueLength + stats.inFlight === 0) return { kind: 'drained' }
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
  const { body } = await request(`${origin}/_demo/restart`, { method: 'POST', ...timeouts() })
  const { dropped } = (await body.json()) as { dropped: number }
  return { kind: 'restarted', dropped }
}

function timeouts() {
  return { headersTimeout: ANSWER_MS, bodyTimeout: ANSWER_MS }
}
