import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { send } from '../support/e2e/client.ts'
import { statusOf, toCounts, WHEN_REPORTED } from '../support/e2e/figures.ts'
import { type Origin, startOrigin } from '../support/e2e/origin.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

let steady: ScriptedOrigin
let shaky: ScriptedOrigin
/** Accepts every request, and answers none. */
let mute: Origin
let probes = 0
let gate: LocalGate

beforeAll(async () => {
  steady = await ScriptedOrigin.start()
  shaky = await ScriptedOrigin.start()
  mute = await startOrigin(({ method }) => {
    if (method === 'HEAD') probes++
  })
  const closed = await startOrigin((_request, response) => response.end())
  await closed.close()
  const besides = (url: string) => ({ servers: [{ url: steady.url }, { url }], timeoutMs: 500 })
  const routes = [
    { name: 'orders', match: '/orders/*', origin: besides(closed.url) },
    { name: 'mute', match: '/mute/*', origin: besides(mute.url) },
    { name: 'site', match: '/*', origin: besides(shaky.url) },
  ].map((route) => ({ ...route, sla: { targetMs: 500 }, learner: 'fixed' }))
  gate = await startLocalGate({ config: { routes }, port: 0 })
})

afterAll(async () => {
  await gate?.close()
  await Promise.all([steady.close(), shaky.close(), mute.close()])
})

/** Ten visitors at once. */
async function visit(path: string): Promise<readonly number[]> {
  const visits = Array.from({ length: 10 }, () => send(`${gate.url}${path}`))
  return (await Promise.all(visits)).map(({ status }) => status)
}

const downOf = async (name: string) => (await statusOf(gate, name)).down ?? []

describe('A pool of two servers, of which one stops and starts', () => {
  it('answers every GET the whole time, and uses the servers that are up', async ({ expect }) => {
    const { port } = shaky
    const statuses: number[] = []
    const downAfterVisits = async (): Promise<readonly string[]> => {
      statuses.push(...(await visit('/page')))
      return downOf('site')
    }
    expect(await downAfterVisits()).toEqual([])
    await shaky.close()
    await expect.poll(downAfterVisits, WHEN_REPORTED).toEqual([`http://127.0.0.1:${port}`])

    shaky = await ScriptedOrigin.start(port)
    await expect.poll(downAfterVisits, WHEN_REPORTED).toEqual([])
    await expect
      .poll(async () => {
        await downAfterVisits()
        return shaky.seen('/page').length
      }, WHEN_REPORTED)
      .toBeGreaterThan(0)
    expect(statuses).toEqual(statuses.map(() => 200))
  })

  it('counts each visitor once, with and without failover, and none as failed', async ({
    expect,
  }) => {
    await expect
      .poll(async () => {
        await visit('/page')
        const { lastMinute } = await statusOf(gate, 'site')
        const { served, requests, failed, inFlight } = toCounts(lastMinute)
        return { some: requests > 30, open: requests - served, failed, inFlight }
      }, WHEN_REPORTED)
      .toEqual({ some: true, open: 0, failed: 0, inFlight: 0 })
  })
})

describe('A pool of two servers, of which one', () => {
  it('does not listen: no POST is sent twice, and half of them are a 502', async ({ expect }) => {
    const posts = Array.from({ length: 30 }, () => send(`${gate.url}/orders/a`, { method: 'POST' }))
    const statuses = (await Promise.all(posts)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 502]))
    expect(steady.seen('/orders/a')).toHaveLength(statuses.filter((code) => code === 200).length)
  })

  it('never answers: it is left out after the first timeouts, and then no visitor waits', async ({
    expect,
  }) => {
    const statuses: number[] = []
    await expect
      .poll(async () => {
        statuses.push(...(await visit('/mute/a')))
        return downOf('mute')
      }, WHEN_REPORTED)
      .toEqual([mute.url])
    expect(new Set(statuses)).toEqual(new Set([200, 504]))
    // The isolate gets the plan with one of the next reports, and then probes the server.
    await expect
      .poll(async () => {
        await visit('/mute/a')
        return probes
      }, WHEN_REPORTED)
      .toBeGreaterThan(0)
    expect(await visit('/mute/a')).toEqual(Array(10).fill(200))
  })
})

describe('A pool with balance "least-loaded", of which one server is slow', () => {
  it('sends most requests to the other', async ({ expect }) => {
    const served = { slow: 0, fast: 0 }
    const answering = (name: keyof typeof served, ms: number) =>
      startOrigin((_request, response) => {
        served[name]++
        setTimeout(() => response.end(), ms)
      })
    const [slow, fast] = [await answering('slow', 200), await answering('fast', 5)]
    const servers = [{ url: slow.url }, { url: fast.url }]
    const route = { match: '/*', granularity: 'request', learner: 'fixed' }
    const config = { routes: [{ ...route, origin: { servers, balance: 'least-loaded' } }] }
    const own = await startLocalGate({ config, port: 0 })
    try {
      const client = async (): Promise<void> => {
        for (let i = 0; i < 40; i++) await send(`${own.url}/`)
      }
      await Promise.all([client(), client(), client(), client()])
      expect(served.slow + served.fast).toBeGreaterThanOrEqual(160)
      // Weights alone would give it half.
      expect(served.slow).toBeGreaterThan(0)
      expect(served.slow).toBeLessThan(0.2 * 160)
    } finally {
      await own.close()
      await Promise.all([slow.close(), fast.close()])
    }
  })
})
