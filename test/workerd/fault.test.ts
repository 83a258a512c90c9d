import { afterEach, describe, it, vi } from 'vitest'
import { proxy } from '../../src/gate/proxy.ts'
import { background } from '../support/fakes.ts'
import { countersOf, gateOf, sessionOf } from '../support/gates.ts'
import { viewOf } from '../support/requests.ts'

const OPEN_PLAN = { drawLimit: null }

/** A gate before an origin that says what it got, with a log that is read. */
async function faultyGate(keys: object) {
  const fetched = vi.fn(async (request: Request) => {
    const body = `${request.method} ${await request.text()}`
    return new Response(body, { headers: { 'Tidegate-Stock': '3' } })
  })
  vi.stubGlobal('fetch', fetched)
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { gate, route, runtime, visit } = await gateOf(
    { origin: 'https://origin.example.com', ...keys },
    OPEN_PLAN,
  )
  const get = async (asked?: Parameters<typeof viewOf>[1]) => {
    const entered = gate.enter(viewOf('/page', asked).request)!
    return proxy(entered.gate, entered.view, background)
  }
  const breakDecision = () =>
    vi.spyOn(route.admission, 'decide').mockImplementation(() => {
      throw new Error('a bug')
    })
  const reasons = () => {
    const { admits, refusals } = countersOf(route).drain()
    return { admitted: admits.fault ?? 0, refused: refusals.fault ?? 0 }
  }
  return { route, runtime, visit, get, fetched, warned, breakDecision, reasons }
}

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

describe('an exception in a decision', () => {
  it('lets the request pass where the rule is open, and is counted', async ({ expect }) => {
    const { get, breakDecision, reasons } = await faultyGate({ failure: 'open', name: 'faults-1' })
    breakDecision()
    const answer = await get()
    expect([answer.status, await answer.text()]).toEqual([200, 'GET '])
    expect(answer.headers.has('Tidegate-Stock')).toBe(false)
    expect(reasons()).toEqual({ admitted: 1, refused: 0 })
  })

  it('refuses where the rule is closed, with a time to come back', async ({ expect }) => {
    const { get, breakDecision, reasons, fetched } = await faultyGate({
      ...{ failure: 'closed', name: 'faults-2' },
    })
    breakDecision()
    const answer = await get()
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
    expect(await answer.json()).toMatchObject({ reason: 'fault' })
    expect(reasons()).toEqual({ admitted: 0, refused: 1 })
    expect(fetched).not.toHaveBeenCalled()
  })

  it('admits ten a second where the rule is local', async ({ expect }) => {
    const { get, breakDecision, reasons, runtime } = await faultyGate({
      ...{ failure: 'local', name: 'faults-3' },
    })
    breakDecision()
    for (let i = 0; i < 30; i++) await get()
    expect(reasons()).toEqual({ admitted: 10, refused: 20 })
    await runtime.advance(500)
    for (let i = 0; i < 30; i++) await get()
    expect(reasons()).toEqual({ admitted: 5, refused: 25 })
  })

  it('refuses no admitted session, and nobody in observe', async ({ expect }) => {
    const shop = await faultyGate({ failure: 'closed', name: 'faults-4' })
    const Cookie = sessionOf(shop.visit('/page'), shop.runtime.now())
    shop.breakDecision()
    expect((await shop.get({ headers: { Cookie } })).status).toBe(200)
    expect((await shop.get()).status).toBe(503)
    const observed = await faultyGate({ failure: 'closed', mode: 'observe', name: 'faults-5' })
    observed.breakDecision()
    expect((await observed.get()).status).toBe(200)
  })

  it('is in the log once a minute, with where it happened', async ({ expect }) => {
    const { get, breakDecision, warned, runtime } = await faultyGate({
      ...{ failure: 'closed', name: 'faults-6' },
    })
    breakDecision()
    for (let i = 0; i < 5; i++) await get()
    await runtime.advance(61_000)
    await get()
    const lines = warned.mock.calls.map(([line]) => String(line))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/error in the gate itself, route faults-6.*Error: a bug.*fault\.test/s)
    expect(lines[1]).toContain('(4 more since the last line)')
  })
})

describe('an exception after a decision', () => {
  it('before the origin is asked settles the request once, and follows the rule', async ({
    expect,
  }) => {
    const { get, route } = await faultyGate({ failure: 'open', name: 'faults-7' })
    const { pool } = route.origin
    vi.spyOn(pool!, 'begin').mockImplementationOnce(() => {
      throw new Error('a bug')
    })
    expect((await get()).status).toBe(200)
    const { requests, abandoned, inFlight } = countersOf(route)
    expect({ requests, abandoned, inFlight }).toEqual({ requests: 1, abandoned: 1, inFlight: 0 })
  })

  it('in the gate’s part of an answer gives the visitor the origin’s part', async ({ expect }) => {
    const { get, route, fetched } = await faultyGate({ failure: 'closed', name: 'faults-8' })
    vi.spyOn(route.sessions, 'begin').mockImplementation(() => {
      throw new Error('a bug')
    })
    const answer = await get()
    expect([answer.status, await answer.text()]).toEqual([200, 'GET '])
    expect(answer.headers.has('Tidegate-Stock')).toBe(false)
    expect(fetched).toHaveBeenCalledOnce()
    const { requests, served, inFlight } = countersOf(route)
    expect({ requests, served, inFlight }).toEqual({ requests: 1, served: 1, inFlight: 0 })
  })

  it('where nothing works any more is a refusal, and no error', async ({ expect }) => {
    const { get, route, breakDecision } = await faultyGate({ failure: 'open', name: 'faults-9' })
    breakDecision()
    vi.spyOn(route.origin.pool!, 'pick').mockImplementation(() => {
      throw new Error('another bug')
    })
    vi.spyOn(route.refusals, 'answer').mockImplementation(() => {
      throw new Error('a third bug')
    })
    const answer = await get()
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0)
  })
})
