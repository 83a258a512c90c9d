import { describe, it } from 'vitest'
import { OriginState } from '../../src/gate/origin-state.ts'
import { Reporter } from '../../src/gate/reporter.ts'
import { isFeedback } from '../../src/protocol/feedback-schema.ts'
import { background, FakePort, FakeRuntime, refusing, settle, silent } from '../support/fakes.ts'
import { type Planned, planOf, routeOf } from '../support/requests.ts'

function isolateOf(keys: object = { failure: 'closed' }) {
  const route = routeOf(keys)
  const runtime = new FakeRuntime()
  const port = new FakePort()
  const state = new OriginState([route], runtime)
  const options = { sender: 'isolate 1', port, cache: null, runtime }
  const reporter = new Reporter([route], state, options)
  const reasonNow = (): string => state.admission.draw(route, 0, runtime.now()).reason
  const answerWith = (plan: Planned, share = 1): void => {
    port.answer = async () => ({ plan: planOf(plan), share })
  }
  /** Waits for this many more reports and their answers or failures. */
  const report = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const sent = port.reports.length
      while (port.reports.length === sent) {
        reporter.touch(background, runtime.now())
        await runtime.advance(100)
      }
    }
    await settle()
  }
  return { route, runtime, port, state, reporter, reasonNow, answerWith, report }
}

describe('a coordinator that cannot be reached', () => {
  it('makes the failure rule apply after three failed reports in a row, not before', async ({
    expect,
  }) => {
    const { port, reasonNow, report } = isolateOf()
    port.answer = refusing
    await report(2)
    expect(reasonNow()).toBe('startup')
    await report(1)
    expect(reasonNow()).toBe('closed')
  })

  it('also counts as unreachable if it does not answer within 2.5 s', async ({ expect }) => {
    const { port, reasonNow, report, runtime } = isolateOf()
    port.answer = silent
    await report(3)
    // The third was sent at most 100 ms ago.
    await runtime.advance(2_300)
    expect(reasonNow()).toBe('startup')
    await runtime.advance(200)
    expect(reasonNow()).toBe('closed')
  })

  it('leaves the last plan in force for two failures, and an answer resets the count', async ({
    expect,
  }) => {
    const { port, reasonNow, report, answerWith } = isolateOf()
    for (let i = 0; i < 5; i++) {
      answerWith({})
      await report(1)
      port.answer = refusing
      await report(2)
      expect(reasonNow()).toBe('share')
    }
  })

  it('is over with the first good answer', async ({ expect }) => {
    const { port, reasonNow, report, answerWith } = isolateOf()
    port.answer = refusing
    await report(10)
    expect(reasonNow()).toBe('closed')
    answerWith({})
    await report(1)
    expect(reasonNow()).toBe('share')
  })

  it('still gets a report once a second', async ({ expect }) => {
    const { port, report } = isolateOf()
    port.answer = refusing
    await report(10)
    const times = port.reports.map(({ toMs }) => toMs)
    for (const [i, ms] of times.slice(2).entries()) expect(ms - times[i + 1]!).toBeGreaterThan(999)
  })

  it('may throw at once instead of answering late', async ({ expect }) => {
    const { port, reasonNow, report } = isolateOf()
    port.answer = () => {
      throw new Error('no such binding')
    }
    await report(3)
    expect(reasonNow()).toBe('closed')
  })
})

describe('an overloaded object', () => {
  const overloaded = () =>
    Promise.reject(Object.assign(new Error('Durable Object is overloaded.'), { overloaded: true }))

  it('gets no report again at once: the pauses double', async ({ expect }) => {
    const { port, report } = isolateOf()
    port.answer = overloaded
    await report(6)
    const times = port.reports.map(({ toMs }) => toMs)
    const gaps = times.slice(1).map((ms, i) => ms - times[i]!)
    // Three quarters of 2, 4, 8, 16 and 32 s, with the coin at one half. Somebody comes every 100 ms.
    for (const [i, s] of [1.5, 3, 6, 12, 24].entries()) {
      expect(gaps[i]).toBeGreaterThanOrEqual(s * 1000)
      expect(gaps[i]).toBeLessThanOrEqual(s * 1000 + 200)
    }
  })

  it('makes the failure rule apply, and is forgotten with the first answer', async ({ expect }) => {
    const { port, report, reasonNow, answerWith } = isolateOf()
    port.answer = overloaded
    await report(3)
    expect(reasonNow()).toBe('closed')
    answerWith({})
    await report(3)
    expect(reasonNow()).toBe('share')
    const [before, last] = port.reports.slice(-2)
    expect(last!.toMs - before!.toMs).toBeLessThan(1200)
  })

  it('is not asked by visitors either', async ({ expect }) => {
    const { port, report, reporter } = isolateOf()
    port.answer = overloaded
    await report(1)
    await reporter.ask(false)
    expect(port.reports).toHaveLength(1)
  })
})

describe('a report that was lost', () => {
  it('is sent once more, inside the next report, with its own number', async ({ expect }) => {
    const { port, report, answerWith, state } = isolateOf()
    answerWith({})
    await report(1)
    state.countersOf('shop').classes[0]!.offered += 5
    port.answer = refusing
    await report(1)
    answerWith({})
    await report(2)
    expect(port.reports.map(({ seq, again }) => [seq, again?.seq])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, 1],
      [3, undefined],
    ])
    expect(port.reports[2]!.again!.routes.shop!.classes.default!.offered).toBe(5)
    expect(isFeedback(port.reports[2])).toBe(true)
  })

  it('is dropped when it is lost twice, because the newer one is worth more', async ({
    expect,
  }) => {
    const { port, report, answerWith } = isolateOf()
    port.answer = refusing
    await report(3)
    answerWith({})
    await report(1)
    expect(port.reports.map(({ seq, again }) => [seq, again?.seq])).toEqual([
      [0, undefined],
      [1, 0],
      [2, 1],
      [3, 2],
    ])
  })
})

describe('the local limit', () => {
  /** Ten seconds at 1000 draws a second. */
  function admittedPerSecond({ state, route, runtime }: ReturnType<typeof isolateOf>): number {
    let admitted = 0
    for (let ms = 0; ms < 10_000; ms++)
      if (state.admission.draw(route, 0, runtime.now() + ms).kind === 'admit') admitted++
    return admitted / 10
  }

  it('starts from this isolate’s share of the last plan: 40 % of 100/s', async ({ expect }) => {
    const isolate = isolateOf({ failure: 'local' })
    isolate.answerWith({ drawLimit: 100, burst: 10 }, 0.4)
    await isolate.report(1)
    isolate.port.answer = refusing
    await isolate.report(3)
    // The depth of its bucket is 10: 41/s over ten seconds if it starts full.
    const rate = admittedPerSecond(isolate)
    expect(rate).toBeGreaterThanOrEqual(39.9)
    expect(rate).toBeLessThanOrEqual(41)
  })

  it('starts from 10/s if there was no limit, or if its share is unknown', async ({ expect }) => {
    for (const [plan, share] of [
      [{ drawLimit: null }, 0.4],
      [{ drawLimit: 100 }, 0],
    ] as const) {
      const isolate = isolateOf({ failure: 'local' })
      isolate.answerWith(plan, share)
      await isolate.report(1)
      isolate.port.answer = refusing
      await isolate.report(3)
      const rate = admittedPerSecond(isolate)
      expect(rate).toBeGreaterThanOrEqual(9.9)
      expect(rate).toBeLessThanOrEqual(10.3)
    }
  })

  it('falls while the origin is slow, as measured by this isolate', async ({ expect }) => {
    const isolate = isolateOf({ failure: 'local', sla: { targetMs: 100 } })
    isolate.answerWith({ drawLimit: 100, burst: 10, targetMs: 100 }, 1)
    await isolate.report(1)
    isolate.port.answer = refusing
    const [counters] = isolate.state.countersOf('shop').classes
    for (let i = 0; i < 20; i++) {
      for (let n = 0; n < 100; n++) {
        counters!.offered++
        counters!.admitted++
        const request = isolate.state.open.begin(counters!, 0)
        request.headersReceived(2_000, true)
        request.settle('served')
      }
      await isolate.report(1)
    }
    expect(admittedPerSecond(isolate)).toBeLessThan(50)
  })
})

describe('the local limit beside a class with an SLA of its own', () => {
  const classes = [
    { name: 'search', match: { path: '/search' }, sla: { targetMs: 3000 } },
    { name: 'pages' },
  ]
  const SEARCH = { own: { drawLimit: 4, inFlightCap: null, burst: 3 }, targetMs: 3000 }

  /** Twenty reports that are lost, while searches and pages take so long. Returns what is admitted then per second. */
  async function admittedAfter(searchMs: number, pageMs: number) {
    const keys = { failure: 'local', granularity: 'request', sla: { targetMs: 500 }, classes }
    const isolate = isolateOf(keys)
    const { route, runtime, state, report, answerWith, port } = isolate
    answerWith({ drawLimit: 100, burst: 10, targetMs: 500, classes: { search: SEARCH, pages: {} } })
    await report(1)
    port.answer = refusing
    const answers = (index: number, ms: number): void => {
      const counters = state.countersOf('shop').classes[index]!
      for (let n = 0; n < 50; n++) {
        counters.offered++
        counters.admitted++
        const request = state.open.begin(counters, 0)
        request.headersReceived(ms, true)
        request.settle('served')
      }
    }
    for (let i = 0; i < 20; i++) {
      answers(0, searchMs)
      answers(1, pageMs)
      await report(1)
    }
    const perSecond = (index: number): number => {
      let admitted = 0
      for (let ms = 0; ms < 10_000; ms++)
        if (state.admission.draw(route, index, runtime.now() + ms).kind === 'admit') admitted++
      return admitted / 10
    }
    return { pages: perSecond(1), searches: perSecond(0) }
  }

  it('is not cut by slow searches within their target', async ({ expect }) => {
    const { pages, searches } = await admittedAfter(2000, 50)
    expect(pages).toBeGreaterThanOrEqual(100)
    expect(searches).toBeGreaterThanOrEqual(4)
  })

  it('is not cut by searches beyond their target either: their own is', async ({ expect }) => {
    const { pages, searches } = await admittedAfter(9000, 50)
    expect(pages).toBeGreaterThanOrEqual(100)
    expect(searches).toBeLessThan(4)
  })
})

describe('requests that the runtime ended without an event', () => {
  function opened(keys: object) {
    const isolate = isolateOf(keys)
    const [counters] = isolate.state.countersOf('shop').classes
    const open = () => isolate.state.open.begin(counters!, isolate.runtime.now())
    const counted = () => isolate.port.last.routes.shop!.classes.default!
    return { ...isolate, open, counted }
  }

  it('are abandoned long after their timeout, and are no longer in flight', async ({ expect }) => {
    const { open, counted, report, runtime, state } = opened({ granularity: 'request' })
    open()
    await report(2)
    expect(counted()).toMatchObject({ abandoned: 0, inFlight: 1 })
    await runtime.advance(120_000)
    await report(1)
    expect(state.open.size).toBe(0)
    expect(counted()).toMatchObject({ abandoned: 1, inFlight: 0 })
  })

  it('do not include those of an origin with a timeout of ten minutes', async ({ expect }) => {
    const origin = { url: 'https://slow.example.com', timeoutMs: 600_000 }
    const { open, counted, report, runtime } = opened({ origin })
    const request = open()
    await runtime.advance(590_000)
    await report(2)
    expect(counted()).toMatchObject({ abandoned: 0, inFlight: 1 })
    request.headersReceived(runtime.now(), true)
    request.settle('served')
    await report(1)
    expect(counted()).toMatchObject({ served: 1, inFlight: 0 })
  })

  it('do not include settled or younger ones', async ({ expect }) => {
    const { open, counted, report, runtime, state } = opened({})
    const ended = open()
    ended.settle('served')
    await runtime.advance(110_000)
    open()
    await runtime.advance(20_000)
    await report(2)
    expect(state.open.size).toBe(1)
    expect(counted()).toMatchObject({ abandoned: 0, inFlight: 1 })
  })
})
