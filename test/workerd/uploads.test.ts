import { afterEach, describe, it, vi } from 'vitest'
import { proxy } from '../../src/gate/proxy.ts'
import { histogramTotal } from '../../src/lib/histogram.ts'
import { background } from '../support/fakes.ts'
import { countersOf, gateOf } from '../support/gates.ts'

/** The origin answers this long after it has the whole body. */
const SERVICE_MS = 30
/** Longer than the target. */
const SLOW_MS = 5000
const SMALL = 5
const LARGE = 70_000

afterEach(() => {
  vi.unstubAllGlobals()
})

/** The stand-alone gate before an origin that reads whole bodies, and clients that send theirs piece by piece. */
async function uploadSite(keys: object = {}, inFlightCap: number | null = null) {
  const { gate, route, runtime } = await gateOf(
    { origin: 'https://origin.example.com', granularity: 'request', verdictHeader: true, ...keys },
    { drawLimit: null, inFlightCap },
  )
  const asked = vi.fn()
  vi.stubGlobal('fetch', async (request: Request) => {
    asked()
    const { byteLength } = await request.arrayBuffer()
    await runtime.advance(SERVICE_MS)
    return new Response(String(byteLength))
  })
  const ask = async (init: RequestInit<RequestInitCfProperties> = {}) => {
    const request = new Request('https://shop.example.com/page', init)
    const entered = gate.enter(request)!
    return proxy(entered.gate, entered.view, background)
  }
  /** A client that has announced this many bytes, and sent one. */
  const upload = async (bytes: number) => {
    const { readable, writable } = new IdentityTransformStream()
    const writer = writable.getWriter()
    const headers = { 'Content-Length': String(bytes) }
    const asking = ask({ method: 'POST', body: readable, headers })
    await writer.write(new Uint8Array(1))
    const finish = async () => {
      await writer.write(new Uint8Array(bytes - 1))
      await writer.close()
    }
    return { asking, finish }
  }
  const inFlight = () => countersOf(route).inFlight
  const counted = () => {
    const drained = countersOf(route).drain()
    const { requests, served, failed, abandoned, late, ignored } = drained
    const samples = histogramTotal(drained.latency)
    return { requests, served, failed, abandoned, late, ignored, samples }
  }
  return { route, runtime, asked, ask, upload, inFlight, counted }
}

describe('a body that a client sends slowly', () => {
  it('is read before the origin is asked if it is small, so the time is the origin’s', async ({
    expect,
  }) => {
    const { runtime, asked, upload, inFlight, route } = await uploadSite()
    const { asking, finish } = await upload(SMALL)
    await runtime.advance(SLOW_MS)
    expect(asked).not.toHaveBeenCalled()
    expect(inFlight()).toBe(0)
    await finish()
    expect(await (await asking).text()).toBe(String(SMALL))
    const { served, late, latencyUs, latency } = countersOf(route).drain()
    expect({ served, late, latencyUs }).toEqual({
      served: 1,
      late: 0,
      latencyUs: SERVICE_MS * 1000,
    })
    expect(histogramTotal(latency)).toBe(1)
  })

  it('streams if it is large: it is no sample, and not in flight before the origin has it', async ({
    expect,
  }) => {
    const { runtime, asked, upload, inFlight, counted } = await uploadSite()
    const { asking, finish } = await upload(LARGE)
    await runtime.advance(SLOW_MS)
    expect(asked).toHaveBeenCalledOnce()
    expect(inFlight()).toBe(0)
    await finish()
    expect(await (await asking).text()).toBe(String(LARGE))
    expect(counted()).toEqual({
      ...{ requests: 1, served: 1, failed: 0, abandoned: 0 },
      ...{ late: 0, ignored: 1, samples: 0 },
    })
    expect(inFlight()).toBe(0)
  })

  it('leaves the in-flight cap to others', async ({ expect }) => {
    const { upload, ask } = await uploadSite({}, 1)
    const open = [await upload(SMALL), await upload(LARGE), await upload(LARGE)]
    const page = await ask()
    expect([page.status, page.headers.get('Tidegate-Verdict')]).toEqual([
      200,
      expect.stringMatching(/^admit;/),
    ])
    for (const { asking, finish } of open) {
      await finish()
      expect((await asking).status).toBe(200)
    }
  })

  it.for([
    ['small', SMALL],
    ['large', LARGE],
  ] as const)(
    'and takes too long is answered with 408, and teaches nothing: %s',
    async ([, bytes], { expect }) => {
      const { runtime, upload, inFlight, counted } = await uploadSite({ upload: { maxMs: 100 } })
      const { asking } = await upload(bytes)
      await runtime.advance(101)
      expect((await asking).status).toBe(408)
      expect(counted()).toEqual({
        ...{ requests: 1, served: 0, failed: 0, abandoned: 1 },
        ...{ late: 0, ignored: 1, samples: 0 },
      })
      expect(inFlight()).toBe(0)
    },
  )

  it('does not make its server of a pool look slow', async ({ expect }) => {
    const servers = ['https://a.example.com', 'https://b.example.com'].map((url) => ({ url }))
    const { route, runtime, upload } = await uploadSite({
      origin: { servers, balance: 'least-loaded' },
    })
    const ended = vi.spyOn(route.origin.pool!, 'end')
    for (const [bytes, ms] of [
      [SMALL, SERVICE_MS],
      [LARGE, null],
    ] as const) {
      const { asking, finish } = await upload(bytes)
      await runtime.advance(SLOW_MS)
      await finish()
      await asking
      expect(ended).toHaveBeenLastCalledWith(expect.any(String), ms, runtime.now())
    }
  })
})

describe('a request that fails at the gate', () => {
  it('is no failure of the origin, and teaches nothing: one that the runtime cannot send', async ({
    expect,
  }) => {
    const { ask, counted } = await uploadSite()
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Invalid request')))
    expect((await ask()).status).toBe(400)
    expect(counted()).toEqual({
      ...{ requests: 1, served: 0, failed: 0, abandoned: 1 },
      ...{ late: 0, ignored: 1, samples: 0 },
    })
  })

  it('is not counted at all with a method that is not forwarded', async ({ expect }) => {
    const { ask, counted } = await uploadSite()
    expect((await ask({ method: 'PURGE' })).status).toBe(405)
    expect(counted()).toMatchObject({ requests: 0, failed: 0, abandoned: 0 })
  })
})
