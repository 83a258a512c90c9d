import { afterEach, describe, it, vi } from 'vitest'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { probeServers } from '../../src/origin/health-probe.ts'
import { ServerPool } from '../../src/origin/server-pool.ts'

const POOL = {
  ...DEFAULTS.origin,
  name: 'pool',
  timeoutMs: 1000,
  keepHeaders: [],
  healthCheck: null,
}

const [A, B] = ['https://a.example.com', 'https://b.example.com'] as const

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A pool of two servers. The second is down, and five requests, a second apart, send probes. */
async function probed(outcome: () => Promise<Response>) {
  const asked: [string, string][] = []
  vi.stubGlobal('fetch', ({ url, method }: Request) => {
    asked.push([method, url])
    return outcome()
  })
  const servers = [A, B].map((url) => ({ url, weight: 1 }))
  const pool = new ServerPool({ ...POOL, servers })
  pool.follow({ down: [B] })
  const work: Promise<unknown>[] = []
  for (let second = 0; second < 5; second++)
    probeServers(pool, 1_000_000 + second * 1000, 1, { waitUntil: (probe) => work.push(probe) })
  await Promise.all(work)
  return { asked, counted: pool.counters!.drain() }
}

describe('a server that is down', () => {
  it('is probed in the background, with a HEAD request', async ({ expect }) => {
    const { asked, counted } = await probed(async () => new Response(null, { status: 404 }))
    expect(asked).toEqual([['HEAD', `${B}/`]])
    expect(counted).toEqual({ [B]: { tries: 1, failures: 0 } })
  })

  it('that is still down is counted as failed, without any error', async ({ expect }) => {
    const failures = [
      () => Promise.reject(new TypeError('no connection')),
      () => Promise.resolve(new Response(null, { status: 522 })),
    ]
    for (const failure of failures)
      expect((await probed(failure)).counted).toEqual({ [B]: { tries: 1, failures: 1 } })
  })
})
