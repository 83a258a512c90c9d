import { describe, it } from 'vitest'
import { OriginState } from '../../src/gate/origin-state.ts'
import type { PlanCache, StoredPlan } from '../../src/gate/plan-cache.ts'
import { Reporter } from '../../src/gate/reporter.ts'
import { background, FakePort, FakeRuntime, refusing, settle } from '../support/fakes.ts'
import { type Planned, planOf, routeOf } from '../support/requests.ts'

const CALM: Planned = { calmMs: 10_000, goodForMs: 12_000 }

/** An isolate that has a plan and has just reported. */
async function isolateWith(planned: Planned) {
  const route = routeOf()
  const runtime = new FakeRuntime()
  const port = new FakePort()
  const inCache: { stored: StoredPlan | null } = { stored: null }
  const cache: PlanCache = { read: async () => inCache.stored, offer: async () => {} }
  const state = new OriginState([route], runtime)
  const reporter = new Reporter([route], state, { sender: 'isolate 1', port, cache, runtime })
  const counters = state.countersOf('shop').classes[0]!
  /** A request that is admitted and answered. */
  const visit = (): void => {
    reporter.touch(background, runtime.now())
    counters.offered++
    counters.admitted++
  }
  port.answer = async () => ({ plan: planOf(planned), share: 1, fairPart: 1 })
  visit()
  await runtime.advance(planned.calmMs === undefined ? 1000 : planned.calmMs + 1000)
  /** Visits at even distances. */
  const busyFor = async (ms: number, perSecond: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1000 / perSecond) {
      visit()
      await runtime.advance(1000 / perSecond)
    }
  }
  /** The times between the reports, in seconds. */
  const gaps = (): number[] =>
    port.reports.slice(1).map(({ toMs }, i) => (toMs - port.reports[i]!.toMs) / 1000)
  const restart = (): void => void port.reports.splice(0)
  return { runtime, port, state, inCache, counters, visit, busyFor, gaps, restart }
}

describe('an isolate in calm', () => {
  it('reports every 10 s at 1 request a second', async ({ expect }) => {
    const { busyFor, gaps, restart } = await isolateWith(CALM)
    restart()
    await busyFor(60_000, 1)
    expect(gaps().length).toBeGreaterThanOrEqual(4)
    expect(gaps().every((s) => s >= 10 && s <= 11)).toBe(true)
  })

  it('reports when 30 requests have come: every 3 s at 10 requests a second', async ({
    expect,
  }) => {
    const { busyFor, gaps, restart } = await isolateWith(CALM)
    await busyFor(20_000, 10)
    restart()
    await busyFor(30_000, 10)
    expect(new Set(gaps().map(Math.round))).toEqual(new Set([3]))
  })

  it('reports every second from 30 requests a second on, and always if the plan does not say calm', async ({
    expect,
  }) => {
    for (const [plan, rate] of [
      [CALM, 40],
      [{}, 2],
    ] as const) {
      const { busyFor, gaps, restart } = await isolateWith(plan)
      await busyFor(5_000, rate)
      restart()
      await busyFor(20_000, rate)
      expect(new Set(gaps().map(Math.round))).toEqual(new Set([1]))
    }
  })

  it('sends every count within 10 s, also if nobody comes any more, and then rests', async ({
    expect,
  }) => {
    const { port, runtime, restart, visit } = await isolateWith(CALM)
    restart()
    visit()
    await runtime.advance(12_000)
    const offered = port.reports.map(({ routes }) => routes.shop!.classes.default!.offered)
    expect(offered.reduce((sum, one) => sum + one, 0)).toBe(1)
    restart()
    await runtime.advance(600_000)
    expect(port.reports).toHaveLength(0)
  })

  for (const [trouble, happen] of [
    ['a refusal', ({ counters }) => counters.offered++],
    ['a late answer', ({ counters }) => counters.close('served', 5000, false)],
    ['a failure', ({ counters }) => counters.close('failed', -1, false)],
    [
      'requests that pile up at the origin',
      ({ state, counters, runtime }) => {
        for (let i = 0; i < 5; i++) state.open.begin(counters, runtime.now())
      },
    ],
    [
      'a rate that has risen',
      ({ visit }) => {
        for (let i = 0; i < 8; i++) visit()
      },
    ],
    [
      'a plan in the data centre that has ended the calm',
      ({ inCache }) => {
        inCache.stored = { plan: planOf({ seq: 2 }), fairPart: 1 }
      },
    ],
  ] as const satisfies readonly [
    string,
    (isolate: Awaited<ReturnType<typeof isolateWith>>) => unknown,
  ][])
    it(`reports within a second after ${trouble}`, async ({ expect }) => {
      const isolate = await isolateWith(CALM)
      await isolate.busyFor(20_000, 1)
      // Just after a report.
      while (isolate.port.reports.length > 0) {
        isolate.restart()
        await isolate.busyFor(3000, 1)
      }
      happen(isolate)
      isolate.visit()
      await isolate.runtime.advance(1000)
      expect(isolate.port.reports).toHaveLength(1)
    })

  it('still looks every second whether a client has left', async ({ expect }) => {
    const { state, counters, runtime, visit } = await isolateWith(CALM)
    visit()
    const request = state.open.begin(counters, runtime.now())
    void request.watched(() => true)
    await runtime.advance(1000)
    expect(state.open.size).toBe(0)
  })

  it('reports every second again when a report has failed', async ({ expect }) => {
    const { port, busyFor, gaps, restart } = await isolateWith(CALM)
    port.answer = refusing
    await busyFor(12_000, 1)
    restart()
    await busyFor(10_000, 1)
    await settle()
    expect(new Set(gaps().map(Math.round))).toEqual(new Set([1]))
  })
})
