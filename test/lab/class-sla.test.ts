import { describe, it } from 'vitest'
import { Coordinator } from '../../lab/edge/coordinator.ts'
import { runWithPromises, Timers } from '../../lab/edge/timers.ts'
import { Agenda } from '../../lab/engine/agenda.ts'
import { exponential } from '../../lab/engine/distributions.ts'
import { streams } from '../../lab/engine/random.ts'
import { Gate } from '../../src/gate/gate.ts'
import { background } from '../support/fakes.ts'
import { QueuedServers } from '../support/queued-servers.ts'
import { routesOf } from '../support/requests.ts'

/** Pages need half of their servers. Five times as many searches come as the search server can do. */
const PAGE = { perSecond: 40, serviceMs: 50, servers: 4, path: '/page' }
const SEARCH = { perSecond: 10, serviceMs: 500, servers: 1, path: '/search' }
const SECONDS = 240
const FROM_S = 120

/** Admitted, and answered within a target, per second. */
async function site(route: object) {
  const random = streams(1)
  const coins = random('coins')
  const agenda = new Agenda()
  const timers = new Timers(agenda)
  const coordinator = new Coordinator(timers)
  const clock = () => Math.floor(timers.nowMs)
  const gate = new Gate(
    {
      routes: routesOf({
        granularity: 'request',
        sla: { targetMs: 1000 },
        ...route,
      }),
    },
    {
      secrets: { current: 'a secret of the tests, long enough to be one', previous: null },
      portFor: () => ({ report: async (feedback) => coordinator.report(feedback) }),
      cache: null,
      runtime: {
        now: clock,
        coin: () => coins.next(),
        id: () => 'id',
        sleep: (ms) => timers.sleep(ms),
      },
      sender: 'isolate',
      ipOf: () => null,
    },
  )
  const run = ({ perSecond, serviceMs, servers, path }: typeof PAGE) => {
    const station = new QueuedServers(timers, servers)
    const arrivals = random(`arrivals of ${path}`)
    const services = random(`services of ${path}`)
    const seen = { admitted: 0, within3s: 0 }
    const arrive = async (): Promise<void> => {
      timers.after(exponential({ mean: 1000 / perSecond }).draw(arrivals), () => void arrive())
      const { gate: route, view } = gate.enter(new Request(`https://shop.example.com${path}`))!
      route.reporter.touch(background, clock())
      // A new isolate may wait a moment for a plan.
      const visit = await route.decide(view, clock())
      if (visit.isRefused) return
      const sentMs = clock()
      const counts = sentMs >= FROM_S * 1000
      if (counts) seen.admitted++
      visit.begin(sentMs)
      station.serve(exponential({ mean: serviceMs }).draw(services), () => {
        const headers = { 'Server-Timing': `app;dur=5, ${path.slice(1)};dur=${serviceMs}` }
        visit.answered(new Response(null, { headers }), clock())
        if (counts && clock() - sentMs <= 3000) seen.within3s++
      })
    }
    timers.after(0, () => void arrive())
    return seen
  }
  const [pages, searches] = [run(PAGE), run(SEARCH)]
  await runWithPromises(agenda, SECONDS * 1000)
  const perSecond = (count: number): number => count / (SECONDS - FROM_S)
  return {
    pages: perSecond(pages.admitted),
    searches: perSecond(searches.admitted),
    searchesInTime: searches.within3s / Math.max(1, searches.admitted),
  }
}

const withClass = (searchSla: object) => ({
  classes: [{ name: 'search', match: { path: '/search' }, ...searchSla }, { name: 'pages' }],
})

describe('a type of request that is slow', () => {
  it('is limited itself if its class has an SLA of its own; the others are all admitted', async ({
    expect,
  }) => {
    const own = await site(withClass({ sla: { targetMs: 3000 } }))
    expect(own.pages).toBeGreaterThan(0.97 * PAGE.perSecond)
    expect(own.searches).toBeLessThan(2.2)
    expect(own.searches).toBeGreaterThan(1)
    expect(own.searchesInTime).toBeGreaterThan(0.85)
  })

  it('otherwise shrinks the limit of all', async ({ expect }) => {
    const shared = await site(withClass({}))
    expect(shared.pages).toBeLessThan(0.8 * PAGE.perSecond)
  })

  it('is also limited itself if its class is known by Server-Timing alone', async ({ expect }) => {
    const own = await site({
      classes: [{ name: 'search', match: { tier: 'search' }, sla: { targetMs: 3000 } }],
    })
    expect(own.pages).toBeGreaterThan(0.97 * PAGE.perSecond)
    expect(own.searches).toBeLessThan(2.2)
    expect(own.searches).toBeGreaterThan(1)
    expect(own.searchesInTime).toBeGreaterThan(0.85)
  })
})
