import { afterEach, describe, it, vi } from 'vitest'
import { proxy } from '../../src/gate/proxy.ts'
import { background } from '../support/fakes.ts'
import { gateOf } from '../support/gates.ts'
import { planOf, viewOf } from '../support/requests.ts'

afterEach(() => vi.unstubAllGlobals())

/** Where the relay holds the cap on requests in flight: how many reports show none, just after the origin has answered. */
async function reportsAfter(origin: () => Promise<Response>): Promise<number> {
  vi.stubGlobal('fetch', origin)
  const { gate, route, runtime, port } = await gateOf({ granularity: 'request' }, {})
  const lease = { load: 1, forMs: 60_000, holds: 'all', asks: 1, reportsEnds: true } as const
  const plan = planOf({ seq: 2, inFlightCap: 2 })
  port.answer = async () => ({ plan, share: 0.01, lease, slots: null })
  await runtime.advance(1000)
  route.reporter.touch(background, runtime.now())
  await runtime.advance(500)
  const before = port.reports.length
  const { view } = gate.enter(viewOf('/page').request)!
  await proxy(route, view, background)
  await runtime.advance(5)
  return port.reports
    .slice(before)
    .filter(({ routes }) => routes.shop!.classes.default!.inFlight === 0).length
}

describe('the end of a request through the proxy, where the relay holds the cap', () => {
  it('is reported at once when the origin has answered', async ({ expect }) => {
    expect(await reportsAfter(async () => new Response('page'))).toBe(1)
  })

  it('is reported at once when the origin cannot be reached', async ({ expect }) => {
    expect(await reportsAfter(() => Promise.reject(new Error('refused')))).toBe(1)
  })
})
