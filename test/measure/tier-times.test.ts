import { describe, it } from 'vitest'
import { loadReportOf } from '../../src/measure/load-report.ts'
import { TierTimes } from '../../src/measure/tier-times.ts'
import { resolvedRoute } from '../support/config.ts'

const { tiers } = resolvedRoute({
  capacity: {
    tiers: [
      { name: 'app', workers: 4 },
      { name: 'db', metric: 'SQL', max: 1 },
    ],
  },
}).capacity!
const headersOf = (headers: Record<string, string>) => new Headers(headers)

describe('times of tiers in the answers of an origin', () => {
  it('are counted by tier: each metric is a visit, a repeated one is several', ({ expect }) => {
    const times = new TierTimes(tiers)
    times.observe(headersOf({ 'Server-Timing': 'app;dur=20, sql;dur=5, sql;dur=7, total;dur=32' }))
    times.observe(headersOf({ 'Server-Timing': 'app;dur=10;desc="a, b"' }))
    const { app, db } = times.drain()!
    expect(app).toMatchObject({ answers: 2, visits: 2, us: 30_000 })
    // β is 1: two visits in two answers. The second answer came from a cache of the application.
    expect(db).toMatchObject({ answers: 2, visits: 2, us: 12_000 })
    expect(db!.times.filter((_, i) => i % 2 === 1)).toEqual([1, 1])
    expect(times.drain()).toBeNull()
  })

  it('are left out where an answer says nothing about the tiers', ({ expect }) => {
    const times = new TierTimes(tiers)
    times.observe(headersOf({}))
    times.observe(headersOf({ 'Server-Timing': 'cdn-cache;desc=HIT, edge;dur=3' }))
    times.observe(headersOf({ 'Server-Timing': 'app;dur=-1, app;dur=1e99, sql;dur=nonsense' }))
    expect(times.drain()).toBeNull()
  })

  it('follow from the load of a server by the utilisation law', ({ expect }) => {
    const times = new TierTimes(tiers)
    // Four workers that are busy half of the time with 100 requests/s work 20 ms on each.
    times.observe(
      headersOf({
        'endpoint-load-metrics':
          'TEXT application_utilization=0.5, rps_fractional=100, named_metrics.sql=0.8',
      }),
    )
    const { app, db } = times.drain()!
    expect(app).toMatchObject({ visits: 0, loads: 1, loadUs: 20_000 })
    expect(db).toMatchObject({ visits: 0, loads: 1, loadUs: 8000 })
  })

  it('read the load as text and as JSON, and take nothing from anything else', ({ expect }) => {
    const json = 'JSON {"cpu_utilization": 0.3, "rps_fractional": 5, "named_metrics": {"db": 0.7}}'
    expect(loadReportOf(json)).toEqual({
      utilisations: new Map([
        ['cpu', 0.3],
        ['db', 0.7],
      ]),
      requestsPerSecond: 5,
    })
    for (const header of [
      '',
      'TEXT',
      'JSON {',
      'BIN abc',
      'TEXT ===,,,',
      'JSON null',
      'JSON [[[1]]]',
    ])
      expect(loadReportOf(header).requestsPerSecond).toBe(0)
    expect(loadReportOf('TEXT cpu_utilization=-1, db=NaN').utilisations.size).toBe(0)
  })
})
