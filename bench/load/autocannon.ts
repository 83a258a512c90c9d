import { createRequire } from 'node:module'
import type { Load, Slice } from './load.ts'

interface Result {
  readonly requests: { readonly total: number }
  readonly '2xx': number
  readonly '3xx': number
  readonly errors: number
  readonly timeouts: number
}

/** The package has no types. */
type Autocannon = (options: object) => Promise<Result>

/** It checks the time this often, so a slice may be this much longer. */
const LOOK_EVERY_MS = 50

/** Used if wrk is missing. It runs in this process and needs four times the processor time of wrk. */
export function autocannonSlices(load: Load): (url: string, ms: number) => Promise<Slice> {
  const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon
  const { headers, connections } = load
  const requests = load.requests.map(({ path, cookie }) => ({
    path,
    headers: { ...headers, Cookie: cookie },
  }))
  return async (url, ms) => {
    const startedAt = performance.now()
    const result = await autocannon({
      url,
      connections,
      headers,
      duration: ms / 1000,
      sampleInt: LOOK_EVERY_MS,
      requests,
    })
    const total = result.requests.total
    return {
      requests: total,
      ms: performance.now() - startedAt,
      unsuccessful: total - result['2xx'] - result['3xx'],
      broken: result.errors + result.timeouts,
    }
  }
}
