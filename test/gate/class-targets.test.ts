import { describe, it } from 'vitest'
import { countersOf, gateOf } from '../support/gates.ts'
import { viewOf } from '../support/requests.ts'

const SEARCH = { name: 'search', match: { path: '/search' } }
const ROUTE = {
  granularity: 'request',
  sla: { targetMs: 500 },
  classes: [
    {
      ...SEARCH,
      sla: {
        table: [
          { fromRate: 0, targetMs: 3000 },
          { fromRate: 5, targetMs: 6000 },
        ],
      },
    },
    { name: 'pages' },
  ],
}

describe('what isolates count as late', () => {
  it('is over the class’s own first target before there is a plan', async ({ expect }) => {
    const { gate, runtime, route } = await gateOf(ROUTE, null)
    for (const path of ['/search', '/page']) {
      const { view } = gate.enter(viewOf(path).request)!
      const asked = await route.decide(view, runtime.now())
      asked.begin(runtime.now())
      await runtime.advance(1000)
      asked.answered(new Response(''), runtime.now())
    }
    const [search, pages] = [countersOf(route, 0), countersOf(route, 1)]
    expect([search.targetMs, pages.targetMs]).toEqual([3000, 500])
    expect([search.late, pages.late]).toEqual([0, 1])
  })

  it('is over the row in force that the plan names', async ({ expect }) => {
    const classes = { search: { targetMs: 6000 }, pages: {} }
    const { route } = await gateOf(ROUTE, { targetMs: 700, classes })
    expect([countersOf(route, 0).targetMs, countersOf(route, 1).targetMs]).toEqual([6000, 700])
  })
})

const HEAVY = { name: 'heavy', match: { tier: 'db' }, sla: { targetMs: 3000 } }

describe('the class of a path that is known by Server-Timing', () => {
  const siteOf = () => gateOf({ granularity: 'request', classes: [HEAVY] }, {})
  const answer = (status: number, timing: string) =>
    new Response(null, { status, headers: { 'Server-Timing': timing } })

  it('is not changed by answers without the page: HEAD, 304 and errors', async ({ expect }) => {
    const { visit, runtime } = await siteOf()
    const ask = (method: string, status: number, timing: string) =>
      visit('/report', { method }).answered(answer(status, timing), runtime.now())
    const isHeavy = () => visit('/report').classIndex === 0
    expect(isHeavy()).toBe(false)
    ask('GET', 200, 'app;dur=4, db;dur=90')
    expect(isHeavy()).toBe(true)
    ask('HEAD', 200, 'app;dur=4')
    ask('GET', 304, 'app;dur=4')
    ask('GET', 404, 'app;dur=4')
    ask('GET', 500, 'app;dur=4')
    expect(isHeavy()).toBe(true)
    ask('GET', 200, 'app;dur=4')
    expect(isHeavy()).toBe(false)
  })
})
