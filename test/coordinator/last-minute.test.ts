import fc from 'fast-check'
import { describe, it } from 'vitest'
import { LastMinute } from '../../src/coordinator/last-minute.ts'
import type { RoutesFeedback } from '../../src/protocol/merge-reports.ts'
import { anyRoutes, routesFeedback } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

const tickOf = (routes: RoutesFeedback, lengthMs: number) => ({ atMs: 0, lengthMs, routes })

const SECOND = routesFeedback({
  shop: {
    buyers: {
      ...{ offered: 4, admitted: 3, early: 2, overQuota: 1 },
      ...{ requests: 9, served: 8, failed: 1, late: 3 },
      ...{ admits: { session: 5, share: 3 }, refusals: { share: 1, early: 2, fairness: 1 } },
    },
    default: { offered: 10, admitted: 5, requests: 5, served: 5, inFlight: 7 },
  },
})

describe('the last minute', () => {
  it('has rates per second, of a class and of the whole route', ({ expect }) => {
    const minute = new LastMinute()
    for (let i = 0; i < 10; i++) minute.add(tickOf(SECOND, 1000))
    expect(minute.figures('shop', 'buyers')).toMatchObject({
      seconds: 10,
      ...{ offered: 4, admitted: 3, refused: 4, early: 2, overQuota: 1 },
      ...{ requests: 9, served: 8, failed: 1, withinTarget: 6 },
      ...{ admits: { session: 5, share: 3 }, refusals: { share: 1, early: 2, fairness: 1 } },
    })
    expect(minute.figures('shop', null)).toMatchObject({ offered: 14, admitted: 8, served: 13 })
  })

  it('forgets what is older than a minute', ({ expect }) => {
    const minute = new LastMinute()
    minute.add(tickOf(routesFeedback({ shop: { default: { offered: 1_000_000 } } }), 1000))
    for (let i = 0; i < 60; i++) minute.add(tickOf(SECOND, 1000))
    expect(minute.figures('shop', 'default')).toMatchObject({ seconds: 60, offered: 10 })
  })

  it('has the newest levels, not their sum', ({ expect }) => {
    const minute = new LastMinute()
    for (let i = 0; i < 5; i++) minute.add(tickOf(SECOND, 1000))
    expect(minute.figures('shop', null).inFlight).toBe(7)
    minute.add(tickOf({}, 1000))
    expect(minute.figures('shop', null).inFlight).toBe(0)
  })

  it('has percentiles over all its ticks', ({ expect }) => {
    const minute = new LastMinute()
    for (let ms = 1; ms <= 100; ms++)
      minute.add(
        tickOf(routesFeedback({ shop: { default: { latency: histogramOf([ms * 10]) } } }), 100),
      )
    const { p50Ms, p95Ms, p99Ms } = minute.figures('shop', 'default')
    // A bucket is 4.4 % wide.
    expect(Math.abs(p50Ms! / 500 - 1)).toBeLessThan(0.044)
    expect(Math.abs(p95Ms! / 950 - 1)).toBeLessThan(0.044)
    expect(Math.abs(p99Ms! / 990 - 1)).toBeLessThan(0.044)
  })

  it('is all zeros before the first tick, and for an unknown route', ({ expect }) => {
    expect(new LastMinute().figures('shop', null)).toMatchObject({ offered: 0, p95Ms: null })
    const minute = new LastMinute()
    minute.add(tickOf(SECOND, 1000))
    expect(minute.figures('api', 'default')).toMatchObject({ seconds: 1, offered: 0, p50Ms: null })
  })

  it('has the same figures whether it is asked at each tick or once', ({ expect }) => {
    fc.assert(
      fc.property(fc.array(anyRoutes, { minLength: 1, maxLength: 12 }), (ticks) => {
        const [asked, unasked] = [new LastMinute(), new LastMinute()]
        for (const routes of ticks) {
          for (const minute of [asked, unasked]) minute.add(tickOf(routes, 10_000))
          asked.figures('a', 'a')
        }
        for (const name of ['a', 'b', null])
          expect(asked.figures('a', name)).toEqual(unasked.figures('a', name))
      }),
      { numRuns: 30 },
    )
  })
})
