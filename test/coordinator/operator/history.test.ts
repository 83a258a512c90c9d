import { describe, it } from 'vitest'
import { History, NOTHING_BEGUN } from '../../../src/coordinator/operator/history.ts'
import { MemoryStore } from '../../../src/coordinator/operator/store.ts'
import { routesFeedback } from '../../support/feedback.ts'
import { histogramOf } from '../../support/histogram.ts'
import { planOf } from '../../support/requests.ts'

const PLAN = planOf({ drawLimit: 50 })
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
/** A whole hour. */
const START = 500_000 * HOUR_MS

const second = (offered: number, inFlight = 3) =>
  routesFeedback({
    shop: {
      default: {
        ...{ offered, admitted: 50, requests: 50, served: 50, inFlight },
        latency: histogramOf([100]),
      },
    },
  })

/** A history, and `seconds` ticks of a second from a time on. */
function historyOf(store = new MemoryStore(), begun = NOTHING_BEGUN) {
  const history = new History(store, begun)
  const tick = (fromMs: number, seconds: number, offered = 200) => {
    for (let i = 0; i < seconds; i++)
      history.add({ atMs: fromMs + i * 1000, lengthMs: 1000, routes: second(offered, i) }, PLAN)
  }
  return { store, history, tick }
}

describe('the history of a route', () => {
  it('has a point for each minute, stored when the next begins', ({ expect }) => {
    const { history, tick } = historyOf()
    tick(START, 60)
    expect(history.points('shop', 'hour', START + MINUTE_MS).points).toEqual([])
    tick(START + MINUTE_MS, 61, 100)
    const { points, stepMs } = history.points('shop', 'hour', START + 2 * MINUTE_MS)
    expect(stepMs).toBe(MINUTE_MS)
    expect(points).toMatchObject([
      { atMs: START + MINUTE_MS, seconds: 60, offered: 200, admitted: 50, refused: 150, limit: 50 },
      { atMs: START + 2 * MINUTE_MS, offered: 100, inFlight: 59 },
    ])
    expect(points[0]!.classes.default).toMatchObject({ offered: 200, served: 50 })
    expect(points[0]!.p95Ms).toBeCloseTo(100, -1)
  })

  it('has a minute for a day and an hour for 90 days, and takes no more room', ({ expect }) => {
    const { history, tick } = historyOf()
    const minutes = 92 * 24 * 60
    for (let i = 0; i <= minutes; i++) tick(START + i * MINUTE_MS, 1)
    const endMs = START + minutes * MINUTE_MS
    expect(history.points('shop', 'hour', endMs).points).toHaveLength(60)
    const day = history.points('shop', 'day', endMs).points
    expect(day).toHaveLength(1440)
    expect(day.at(-1)!.atMs).toBe(endMs)
    const quarter = history.points('shop', 'quarter', endMs)
    expect(quarter.stepMs).toBe(HOUR_MS)
    expect(quarter.points).toHaveLength(2160)
    expect(quarter.points.at(-1)).toMatchObject({ seconds: 60, offered: 200 })
  })

  it('goes on after a restart, within the minute and within the hour', ({ expect }) => {
    const { store, history, tick } = historyOf()
    tick(START, 121)
    const again = historyOf(store, history.begun)
    again.tick(START + 9 * MINUTE_MS, 61)
    const { points } = again.history.points('shop', 'quarter', START + HOUR_MS)
    expect(points).toMatchObject([{ atMs: START + HOUR_MS, seconds: 181 }])
    const minutes = again.history.points('shop', 'hour', START + 10 * MINUTE_MS).points
    expect(minutes.map(({ seconds }) => seconds)).toEqual([60, 60, 1, 60])
  })

  it('stores the minute that has begun before a pause', ({ expect }) => {
    const { history, tick } = historyOf()
    tick(START, 5)
    history.flush()
    expect(history.points('shop', 'hour', START + 5000).points).toMatchObject([{ seconds: 5 }])
    tick(START + 5000, 5)
    history.flush()
    expect(history.points('shop', 'hour', START + 9000).points).toMatchObject([{ seconds: 10 }])
  })

  it('has no points where there was no traffic, and none of routes that the plan does not know', ({
    expect,
  }) => {
    const { history } = historyOf()
    const idle = routesFeedback({ shop: { default: {} }, other: { default: { offered: 5 } } })
    history.add({ atMs: START, lengthMs: 1000, routes: idle }, PLAN)
    history.flush()
    for (const route of ['shop', 'other'])
      expect(history.points(route, 'hour', START + 1000).points).toEqual([])
  })
})
