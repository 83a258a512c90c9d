import { describe, it } from 'vitest'
import type { Visit } from '../../src/gate/visit.ts'
import { markOf } from '../../src/protocol/commands.ts'
import { background, settle } from '../support/fakes.ts'
import { gateOf, sessionOf } from '../support/gates.ts'
import { viewOf } from '../support/requests.ts'

const saying = (headers: Record<string, string>): Response => new Response('body', { headers })

function answer(visit: Visit, nowMs: number, headers: Record<string, string>): Response {
  visit.begin(nowMs)
  return visit.answered(saying(headers), nowMs)
}

describe('Tidegate-Session: revoke', () => {
  it('ends the session here at once, removes its cookie, and is not passed on', async ({
    expect,
  }) => {
    const { visit, runtime } = await gateOf({}, {})
    const Cookie = sessionOf(visit('/'), runtime.now())
    const known = visit('/thanks', { headers: { Cookie } })
    expect(known.verdict.reason).toBe('session')
    const response = answer(known, runtime.now(), { 'Tidegate-Session': 'revoke' })
    expect(response.headers.get('Tidegate-Session')).toBeNull()
    expect(response.headers.get('Set-Cookie')).toMatch(/=; Path=\/; Max-Age=0;/)
    expect(visit('/again', { headers: { Cookie } }).verdict.reason).toBe('share')
  })

  it('with the first answer of a session sets no cookie at all', async ({ expect }) => {
    const { visit, runtime } = await gateOf({}, {})
    const response = answer(visit('/'), runtime.now(), { 'Tidegate-Session': 'revoke' })
    expect(response.headers.get('Set-Cookie')).toBeNull()
  })

  it('is reported at once, with the age of the session', async ({ expect }) => {
    const { visit, runtime, port, route } = await gateOf({}, {})
    const Cookie = sessionOf(visit('/'), runtime.now())
    await runtime.advance(1000)
    answer(visit('/', { headers: { Cookie } }), runtime.now(), { 'Tidegate-Session': 'revoke' })
    const before = port.reports.length
    route.reporter.hurry(background)
    await settle()
    expect(port.reports).toHaveLength(before + 1)
    const { commands, routes } = port.reports.at(-1)!
    expect(Object.keys(commands!.revoked!)).toHaveLength(1)
    expect(routes.shop!.ended!.reduce((sum, n, i) => sum + (i % 2) * n, 0)).toBe(1)
  })

  it('in the plan ends the session in every isolate', async ({ expect }) => {
    const { visit, runtime } = await gateOf({}, {})
    const Cookie = sessionOf(visit('/'), runtime.now())
    const id = decodeURIComponent(Cookie.split('=')[1]!).split('.')[2]!
    const other = await gateOf({}, { revoked: { [markOf(id)]: 9e15 } })
    expect(other.visit('/', { headers: { Cookie } }).verdict.reason).toBe('share')
  })
})

describe('Tidegate-Stock', () => {
  it('0 keeps new visitors out at once, and admitted sessions go on', async ({ expect }) => {
    const { visit, runtime } = await gateOf({ verdictHeader: true }, {})
    const first = visit('/')
    const Cookie = sessionOf(first, runtime.now())
    const response = answer(first, runtime.now(), { 'Tidegate-Stock': '0' })
    expect(response.headers.get('Tidegate-Stock')).toBeNull()
    const late = visit('/')
    expect(late.verdict).toEqual({ kind: 'refuse', reason: 'sold-out' })
    expect(visit('/', { headers: { Cookie } }).verdict.reason).toBe('session')
    const refusal = late.refusal(runtime.now())
    expect(refusal.headers.get('Retry-After')).toBeNull()
    expect(refusal.headers.get('Set-Cookie')).toBeNull()
    expect(await refusal.json()).toMatchObject({ reason: 'sold-out', title: 'Sold out' })
  })

  it('shows browsers a page that does not refresh itself, or the page of the route', async ({
    expect,
  }) => {
    const html = { headers: { Accept: 'text/html' } }
    const builtIn = await gateOf({}, { soldOut: true })
    const page = await builtIn.visit('/', html).refusal(builtIn.runtime.now()).text()
    expect(page).toContain('Sold out')
    expect(page).not.toContain('http-equiv="refresh"')
    const soldOutPage = '<h1>Come back in spring</h1>'
    const own = await gateOf({ refusal: { soldOutPage } }, { soldOut: true })
    expect(await own.visit('/', html).refusal(own.runtime.now()).text()).toBe(soldOutPage)
  })

  it('above 0 opens the route again, if it was asked for after the 0', async ({ expect }) => {
    const { visit, runtime } = await gateOf({}, {})
    const [slow, quick] = [visit('/'), visit('/')]
    const Cookie = sessionOf(quick, runtime.now())
    slow.begin(runtime.now())
    await runtime.advance(10)
    answer(quick, runtime.now(), { 'Tidegate-Stock': '0' })
    const later = visit('/', { headers: { Cookie } })
    await runtime.advance(10)
    answer(later, runtime.now(), { 'Tidegate-Stock': '2' })
    expect(visit('/').verdict.kind).toBe('admit')
  })

  it('is counted under its reason, and not as offered', async ({ expect }) => {
    const { visit, route } = await gateOf({}, { soldOut: true })
    visit('/')
    const { offered, refusals } = route.origin.countersOf('shop').drain().classes.default!
    expect(offered).toBe(0)
    expect(refusals).toEqual({ 'sold-out': 1 })
  })

  it('in mode observe keeps nobody out', async ({ expect }) => {
    const { visit } = await gateOf({ mode: 'observe' }, { soldOut: true })
    expect(visit('/').isRefused).toBe(false)
  })

  it('nonsense is ignored, and removed', async ({ expect }) => {
    const { visit, runtime } = await gateOf({}, {})
    const headers = { 'Tidegate-Stock': 'few', 'Tidegate-Session': 'renew' }
    const response = answer(visit('/'), runtime.now(), headers)
    expect([...response.headers.keys()].filter((name) => name.startsWith('tidegate'))).toEqual([])
    expect(visit('/').verdict.kind).toBe('admit')
  })
})

describe('an isolate with an old plan', () => {
  it('asks for a new one where something is sold out, and follows it', async ({ expect }) => {
    const { route, runtime, port, visit } = await gateOf({}, { soldOut: true })
    expect(route.wantsNewPlan(viewOf('/'), runtime.now())).toBeNull()
    await runtime.advance(5000)
    expect(route.wantsNewPlan(viewOf('/'), runtime.now())).toBe('first')
    const reports = port.reports.length
    const renewed = route.reporter.renew(background)
    await settle()
    await renewed
    expect(port.reports.length).toBe(reports + 1)
    expect(route.wantsNewPlan(viewOf('/'), runtime.now())).toBeNull()
    expect(visit('/').verdict).toBeDefined()
  })

  it('asks for one before a draw, and not before the request of a known session', async ({
    expect,
  }) => {
    const { route, runtime, visit } = await gateOf({}, {})
    const Cookie = sessionOf(visit('/'), runtime.now())
    await runtime.advance(5000)
    expect(route.wantsNewPlan(viewOf('/'), runtime.now())).toBe('first')
    const known = viewOf('/', { headers: { Cookie } })
    expect(route.wantsNewPlan(known, runtime.now())).toBeNull()
  })

  it('asks meanwhile for a known session in calm, and first where sessions were ended before', async ({
    expect,
  }) => {
    const calm = { calmMs: 10_000, goodForMs: 12_000 }
    for (const [plan, wanted] of [
      [calm, 'meanwhile'],
      [{ ...calm, revoked: { aaaaaaaa: 9e15 } }, 'first'],
    ] as const) {
      const { route, runtime, visit } = await gateOf({}, plan)
      const Cookie = sessionOf(visit('/'), runtime.now())
      await runtime.advance(5000)
      const known = viewOf('/', { headers: { Cookie } })
      expect(route.wantsNewPlan(known, runtime.now())).toBe(wanted)
    }
  })

  it('does not ask before a request that bypasses the gate', async ({ expect }) => {
    const { route, runtime } = await gateOf({ bypass: [{ path: '/assets/*' }] }, {})
    await runtime.advance(5000)
    expect(route.wantsNewPlan(viewOf('/assets/a.css'), runtime.now())).toBeNull()
  })

  it('waits at most 100 ms', async ({ expect }) => {
    const { route, runtime, port } = await gateOf({}, { soldOut: true })
    await runtime.advance(5000)
    port.answer = () => new Promise(() => {})
    let isDone = false
    void route.reporter.renew(background).then(() => {
      isDone = true
    })
    await runtime.advance(90)
    expect(isDone).toBe(false)
    await runtime.advance(20)
    expect(isDone).toBe(true)
    expect(viewOf('/')).toBeDefined()
  })
})
