import fc from 'fast-check'
import { describe, it } from 'vitest'
import { ReportAggregator } from '../../src/coordinator/report-aggregator.ts'
import { anyRoutes, feedbackOf } from '../support/feedback.ts'

/** A report of one second with this many draws. */
const report = (sender: string, seq: number, toMs: number, offered = 0, lengthMs = 1000) =>
  feedbackOf({ shop: { default: { offered } } }, { sender, seq, toMs, lengthMs })

const levels = (sender: string, seq: number, toMs: number, inFlight: number) =>
  feedbackOf({ shop: { default: { inFlight } } }, { sender, seq, toMs })

const inFlightOf = (aggregator: ReportAggregator, nowMs: number): number =>
  aggregator.drain(nowMs).routes.shop?.classes.default?.inFlight ?? 0

describe('a repeated report', () => {
  it('is dropped, and so is an older one', ({ expect }) => {
    const aggregator = new ReportAggregator()
    expect(aggregator.add(report('a', 4, 1000, 10), 1000)).toBe(true)
    expect(aggregator.add(report('a', 4, 1000, 10), 1001)).toBe(false)
    expect(aggregator.add(report('a', 3, 900, 10), 1002)).toBe(false)
    expect(aggregator.add(report('b', 4, 1000, 1), 1003)).toBe(true)
    expect(aggregator.drain(1003).routes.shop!.classes.default!.offered).toBe(11)
  })

  it('does not count twice what it saw of the servers', ({ expect }) => {
    const aggregator = new ReportAggregator()
    const servers = { 'http://a': { tries: 4, failures: 3 } }
    const lost = feedbackOf({}, { servers })
    aggregator.add(lost, 1000)
    aggregator.add({ ...feedbackOf({}, { seq: 1, toMs: 2000, servers }), again: lost }, 2000)
    expect(aggregator.drain(2000).servers).toEqual({ 'http://a': { tries: 8, failures: 6 } })
    expect(aggregator.drain(2000).servers).toEqual({})
  })

  it('is dropped even if the first was drained already', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(report('a', 0, 1000, 10), 1000)
    aggregator.drain(1000)
    expect(aggregator.add(report('a', 0, 1000, 10), 2000)).toBe(false)
    expect(aggregator.drain(2000)).toMatchObject({ lengthMs: 0 })
  })

  it('inside the next one counts once, whether it had arrived before or not', ({ expect }) => {
    const lost = report('a', 0, 1000, 10)
    for (const arrived of [false, true]) {
      const aggregator = new ReportAggregator()
      if (arrived) aggregator.add(lost, 1000)
      aggregator.add({ ...report('a', 1, 2000, 7), again: lost }, 2000)
      const { routes, lengthMs } = aggregator.drain(2000)
      expect(routes.shop!.classes.default!.offered).toBe(17)
      expect(lengthMs).toBe(2000)
    }
  })

  it('is not assumed where a number is missing: the next report counts', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(report('a', 0, 1000, 10), 1000)
    expect(aggregator.add(report('a', 5, 6000, 10), 6000)).toBe(true)
  })
})

describe('the time that a drain covers', () => {
  it('is one second for one report each of 100 senders', ({ expect }) => {
    const aggregator = new ReportAggregator()
    for (let i = 0; i < 100; i++) aggregator.add(report(`isolate ${i}`, 0, 1000, 3), 1000 + i)
    const { routes, lengthMs } = aggregator.drain(1100)
    expect(lengthMs).toBe(1000)
    expect(routes.shop!.classes.default!.offered).toBe(300)
  })

  it('is two seconds for two reports of one sender', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(report('a', 0, 1000, 3), 1000)
    aggregator.add(report('a', 1, 2000, 3), 2000)
    expect(aggregator.lengthMs(2000)).toBe(2000)
    expect(aggregator.drain(2000).lengthMs).toBe(2000)
  })

  it('is 0 without reports', ({ expect }) => {
    const aggregator = new ReportAggregator()
    expect(aggregator.drain(0)).toMatchObject({ routes: {}, servers: {}, lengthMs: 0 })
    aggregator.add(report('a', 0, 1000, 3), 1000)
    aggregator.drain(1000)
    expect(aggregator.drain(2000).lengthMs).toBe(0)
  })

  it('is 0.9 s if one of ten reports is missing', ({ expect }) => {
    const aggregator = new ReportAggregator()
    for (let i = 0; i < 10; i++) aggregator.add(report(`isolate ${i}`, 0, 1000, 10), 1000)
    aggregator.drain(1000)
    for (let i = 1; i < 10; i++) aggregator.add(report(`isolate ${i}`, 1, 2000, 10), 2000)
    const { routes, lengthMs } = aggregator.drain(2000)
    // 90 draws in 0.9 s: still 100/s.
    expect(routes.shop!.classes.default!.offered / (lengthMs / 1000)).toBeCloseTo(100)
  })

  it('does not count the pause of an isolate before its request', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(report('a', 0, 60_000, 1, 60_000), 60_000)
    expect(aggregator.drain(60_000).lengthMs).toBe(1500)
  })
})

describe('the time that counts stand for, where senders are uneven', () => {
  /** Counts per second of a drain, by the time that it covers. */
  const perSecond = (
    aggregator: ReportAggregator,
    nowMs: number,
    count: 'offered' | 'requests',
  ) => {
    const { routes, lengthMs } = aggregator.drain(nowMs)
    return (routes.shop!.classes.default![count] * 1000) / lengthMs
  }

  it('is that of the busy ones: a data centre of 100/s with two reports beside nine of 1/s with one', ({
    expect,
  }) => {
    const aggregator = new ReportAggregator()
    for (let i = 0; i < 9; i++) aggregator.add(report(`quiet ${i}`, 0, 1500, 1), 1500)
    aggregator.add(report('busy', 0, 1000, 100), 1000)
    aggregator.add(report('busy', 1, 2000, 100), 2000)
    expect(perSecond(aggregator, 2000, 'offered')).toBeCloseTo(109, 0)
  })

  it('is that of who has sessions, although hardly anybody draws there', ({ expect }) => {
    const aggregator = new ReportAggregator()
    const sessions = (seq: number, toMs: number) =>
      feedbackOf({ shop: { default: { requests: 100 } } }, { sender: 'busy', seq, toMs })
    aggregator.add(report('quiet', 0, 1500, 1), 1500)
    aggregator.add(sessions(0, 1000), 1000)
    aggregator.add(sessions(1, 2000), 2000)
    const requests = perSecond(aggregator, 2000, 'requests')
    expect(requests).toBeGreaterThan(97)
    expect(requests).toBeLessThan(103)
  })

  it('is by the clock for those who report after a silence: 40/s of them in 1.5 s, and one a second elsewhere', ({
    expect,
  }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(report('regular', 0, 1000, 1), 1000)
    aggregator.drain(1000)
    aggregator.add(report('regular', 1, 2000, 1), 2000)
    for (let i = 0; i < 60; i++)
      aggregator.add(report(`rare ${i}`, 0, 1000 + 25 * i, 1, 60_000), 1000 + 25 * i)
    const offered = perSecond(aggregator, 2500, 'offered')
    expect(offered).toBeGreaterThan(40)
    expect(offered).toBeLessThan(42)
  })
})

describe('the plans by which draws were decided', () => {
  const decidedBy = (sender: string, offered: number, planIssuedAtMs: number) => ({
    ...report(sender, 0, 3000, offered),
    planIssuedAtMs,
  })

  it('were issued when they were in the mean over draws, and not over senders', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(decidedBy('busy', 90, 2000), 3000)
    aggregator.add(decidedBy('quiet', 10, 1000), 3000)
    // It had no plan.
    aggregator.add(report('newborn', 0, 3000, 50), 3000)
    expect(aggregator.drain(3000).planIssuedAtMs).toBe(1900)
    expect(aggregator.drain(3000).planIssuedAtMs).toBeNull()
  })
})

describe('the rate over many ticks', () => {
  /**
   * Isolates as they are: a draw schedules a report one second later, which covers all the time since
   * the one before. Every isolate draws once in `everyMs`; ticks come when they are due.
   */
  function measured(isolates: number, everyMs: (isolate: number) => number): number {
    const aggregator = new ReportAggregator()
    const states = Array.from({ length: isolates }, (_, i) => ({
      next: (i * everyMs(i)) / isolates,
      draws: 0,
      dueAt: Number.POSITIVE_INFINITY,
      since: 0,
      seq: 0,
    }))
    let offered = 0
    let seconds = 0
    for (let ms = 0; ms < 60_000; ms += 10) {
      for (const [i, state] of states.entries()) {
        for (; state.next <= ms; state.next += everyMs(i)) {
          state.draws++
          state.dueAt = Math.min(state.dueAt, ms + 1000)
        }
        if (ms < state.dueAt) continue
        aggregator.add(report(`${i}`, state.seq++, ms, state.draws, ms - state.since), ms)
        Object.assign(state, { draws: 0, since: ms, dueAt: Number.POSITIVE_INFINITY })
      }
      if (aggregator.lengthMs(ms) < 950) continue
      const drained = aggregator.drain(ms)
      if (ms < 20_000) continue
      offered += drained.routes.shop!.classes.default!.offered
      seconds += drained.lengthMs / 1000
    }
    return offered / seconds
  }

  // A tick falls between reports, so its counts and its time may differ by about one report.
  for (const [what, isolates, everyMs, rate] of [
    ['one busy isolate: 50/s', 1, () => 20, 50],
    ['ten busy isolates: 10 × 20/s', 10, () => 50, 200],
    ['100 isolates with a draw in 3 s each', 100, () => 3000, 100 / 3],
    ['100 isolates with a draw in 8 s each', 100, () => 8000, 12.5],
    ['50 busy and 50 quiet ones', 100, (i: number) => (i % 2 ? 100 : 4000), 512.5],
  ] as const)
    it(`is right within 5 % for ${what}`, ({ expect }) => {
      expect(Math.abs(measured(isolates, everyMs) / rate - 1)).toBeLessThan(0.05)
    })
})

describe('levels', () => {
  it('add over senders but not over time', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(levels('a', 0, 1000, 5), 1000)
    aggregator.add(levels('a', 1, 2000, 7), 2000)
    aggregator.add(levels('b', 0, 2000, 4), 2000)
    expect(inFlightOf(aggregator, 2000)).toBe(11)
  })

  it('of a sender that stops stay until it is forgotten, 30 s later', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(levels('a', 0, 1000, 5), 1000)
    expect(inFlightOf(aggregator, 31_000)).toBe(5)
    expect(aggregator.isolates).toBe(1)
    expect(inFlightOf(aggregator, 31_001)).toBe(0)
    expect(aggregator.isolates).toBe(0)
  })
})

describe('shares', () => {
  const shares = (aggregator: ReportAggregator, names: readonly string[], nowMs = 1000): number[] =>
    names.map((name) => aggregator.shareOf(name, nowMs))

  it('are in proportion to the draws of each sender', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(report('a', 0, 1000, 30), 1000)
    aggregator.add(report('b', 0, 1000, 10), 1000)
    expect(shares(aggregator, ['a', 'b', 'nobody'])).toEqual([0.75, 0.25, 0])
  })

  it('are equal before the first draw', ({ expect }) => {
    const aggregator = new ReportAggregator()
    for (const name of ['a', 'b', 'c', 'd']) aggregator.add(report(name, 0, 1000), 1000)
    expect(shares(aggregator, ['a', 'b', 'c', 'd'])).toEqual([0.25, 0.25, 0.25, 0.25])
  })

  it('leave out a busy sender that has stopped, and wait longer for a quiet one', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(report('dead', 0, 1000, 10), 1000)
    aggregator.add(report('quiet', 0, 1000, 1), 1000)
    aggregator.add(report('alive', 0, 4000, 9), 4000)
    // 3 s without a report: too long for a sender with 10 draws a second, not for one with 1.
    expect(shares(aggregator, ['quiet', 'alive'], 4000)).toEqual([0.1, 0.9])
  })

  it('follow within a few seconds when the crowd moves', ({ expect }) => {
    const aggregator = new ReportAggregator()
    aggregator.add(report('a', 0, 1000, 100), 1000)
    aggregator.add(report('b', 0, 1000, 0), 1000)
    for (let seq = 1; seq <= 5; seq++) {
      aggregator.add(report('a', seq, 1000 + seq * 1000, 0), 1000 + seq * 1000)
      aggregator.add(report('b', seq, 1000 + seq * 1000, 100), 1000 + seq * 1000)
    }
    expect(aggregator.shareOf('b', 6000)).toBeGreaterThan(0.95)
  })

  it('add up to one over all senders, for any reports', ({ expect }) => {
    const reports = fc.array(fc.tuple(fc.nat({ max: 9 }), anyRoutes), {
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(reports, (all) => {
        const aggregator = new ReportAggregator()
        for (const [seq, [sender, routes]] of all.entries())
          aggregator.add({ ...report(`${sender}`, seq, 1000), routes }, 1000)
        const names = [...new Set(all.map(([sender]) => `${sender}`))]
        const sum = shares(aggregator, names).reduce((total, share) => total + share, 0)
        expect(sum).toBeCloseTo(1, 9)
      }),
      { numRuns: 50 },
    )
  })
})

describe('senders that report less often in calm', () => {
  /** Senders with 10 draws a second each; `everyMs` of each; the first reports are spread evenly. */
  const rates = (everyMs: readonly number[], seconds: number) => {
    const aggregator = new ReportAggregator()
    const events = everyMs
      .flatMap((ms, i) =>
        Array.from({ length: Math.floor((seconds * 1000) / ms) }, (_, seq) => ({
          ...{ sender: `isolate ${i}`, seq, ms },
          atMs: Math.round(seq * ms + (ms * (i + 1)) / everyMs.length),
        })),
      )
      .sort((a, b) => a.atMs - b.atMs)
    let draws = 0
    let ms = 0
    for (const { sender, seq, ms: lengthMs, atMs } of events) {
      aggregator.add(report(sender, seq, atMs, lengthMs / 100, lengthMs), atMs)
      if (aggregator.lengthMs(atMs) < 950) continue
      const tick = aggregator.drain(atMs)
      // The start has reports of some senders only.
      if (atMs < 20_000) continue
      draws += tick.routes.shop!.classes.default!.offered
      ms += tick.lengthMs
    }
    return { perSecond: (draws * 1000) / ms, shares: aggregator.shares(seconds * 1000) }
  }

  it.for([
    [[3000, 3000], 20],
    [[10_000, 10_000, 10_000], 30],
    [[1000, 10_000], 20],
    [[2000, 3000, 5000, 10_000], 40],
  ] as const)('count with the time that they cover: %j', ([everyMs, perSecond], { expect }) => {
    const { perSecond: measured, shares } = rates(everyMs, 120)
    // A tick has more of some senders than of others, so its time is not exact.
    expect(measured).toBeGreaterThan(perSecond * 0.95)
    expect(measured).toBeLessThan(perSecond * 1.05)
    for (const { share } of shares) expect(share).toBeCloseTo(1 / everyMs.length, 1)
  })
})

describe('a newborn, whose first report is empty', () => {
  const newborn = (sender: string, toMs: number) => report(sender, 0, toMs, 0, 0)

  it('counts as one of average activity, so the shares of all are still one', ({ expect }) => {
    const aggregator = new ReportAggregator()
    for (const sender of ['a', 'b']) aggregator.add(report(sender, 0, 1000, 10), 1000)
    expect(aggregator.shareOf('a', 1000)).toBeCloseTo(1 / 2, 9)
    for (const sender of ['c', 'd']) aggregator.add(newborn(sender, 1010), 1010)
    for (const sender of ['a', 'b', 'c', 'd'])
      expect(aggregator.shareOf(sender, 1010)).toBeCloseTo(1 / 4, 9)
    expect(aggregator.draws.of('').fairPart(1010)).toBeCloseTo(1 / 5, 9)
  })

  it('shares evenly with the others where nobody has drawn yet', ({ expect }) => {
    const aggregator = new ReportAggregator()
    for (const sender of ['a', 'b', 'c']) aggregator.add(newborn(sender, 1000), 1000)
    expect(aggregator.shareOf('b', 1000)).toBeCloseTo(1 / 3, 9)
  })
})
