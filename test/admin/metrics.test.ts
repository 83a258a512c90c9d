import { execFileSync } from 'node:child_process'
import { describe, it } from 'vitest'
import { metricsText } from '../../src/admin/metrics/metrics-text.ts'
import type { OriginSnapshot } from '../../src/coordinator/operator/snapshot.ts'
import { hasProgram } from '../support/e2e/prometheus.ts'
import { routesFeedback } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

const SNAPSHOT: OriginSnapshot = {
  origin: 'https://origin.example.com',
  totals: routesFeedback({
    shop: {
      'a "class"\\': {
        ...{ offered: 10, admitted: 7, served: 6, failed: 1, late: 2, wouldRefuse: 0 },
        ...{ promiseEarly: 1, promiseKept: 8, promiseLate: 0 },
        ...{ admits: { share: 7, session: 40 }, refusals: { share: 3 } },
        ...{ latency: histogramOf([1, 3, 100, 5000]), latencyUs: 5_104_000 },
      },
    },
  }),
  reports: { taken: 9, repeated: 1, refused: 2 },
  ...{ planAgeMs: 1500, isOvercommitted: false, dataCentres: 2, capacity: null },
  servers: [{ url: 'http://a', isDown: true }],
  routes: [
    {
      ...{ name: 'shop', mode: 'observe', limit: null, targetMs: 250, goodput: 6, overrides: 1 },
      ...{ inFlight: { 'a "class"\\': 4 }, probability: { 'a "class"\\': 0.5 } },
      waiting: { 'a "class"\\': 12 },
      classTargetsMs: { search: 3000 },
    },
  ],
}

const TEXT = metricsText([SNAPSHOT, { ...SNAPSHOT, origin: 'other', totals: {}, routes: [] }])
const CLASS = String.raw`route="shop",class="a \"class\"\\"`

describe('the metrics', () => {
  it('count requests by route, class, verdict and reason', ({ expect }) => {
    expect(TEXT).toContain(
      `tidegate_requests_total{${CLASS},verdict="admit",reason="session"} 40\n`,
    )
    expect(TEXT).toContain(`tidegate_requests_total{${CLASS},verdict="refuse",reason="share"} 3\n`)
    expect(TEXT).toContain(`tidegate_origin_requests_total{${CLASS},outcome="failed"} 1\n`)
  })

  it('have response times in fixed buckets that add up', ({ expect }) => {
    const bucket = (le: string) =>
      Number(new RegExp(`tidegate_response_seconds_bucket{.*le="${le}"} (\\d+)`).exec(TEXT)![1])
    expect(['0.001', '0.002', '0.004', '0.064', '0.128', '4.096', '8.192'].map(bucket)).toEqual([
      ...[0, 1, 2, 2, 3, 3, 4],
    ])
    expect(bucket('\\+Inf')).toBe(4)
    expect(TEXT).toContain(`tidegate_response_seconds_sum{${CLASS}} 5.104\n`)
    expect(TEXT).toContain(`tidegate_response_seconds_count{${CLASS}} 4\n`)
  })

  it('come from objects of an older version, too, which know no targets of classes', ({
    expect,
  }) => {
    const routes = SNAPSHOT.routes.map(({ classTargetsMs: _, ...older }) => older)
    const text = metricsText([{ ...SNAPSHOT, routes }])
    expect(text).toContain('tidegate_target_seconds{route="shop"} 0.25\n')
    expect(text).not.toContain('tidegate_target_seconds{route="shop",class=')
  })

  it('have the levels, and +Inf where there is no limit', ({ expect }) => {
    expect(TEXT).toContain('tidegate_limit{route="shop"} +Inf\n')
    expect(TEXT).toContain('tidegate_target_seconds{route="shop"} 0.25\n')
    expect(TEXT).toContain('tidegate_target_seconds{route="shop",class="search"} 3\n')
    expect(TEXT).toContain(`tidegate_waiting{${CLASS}} 12\n`)
    expect(TEXT).toContain(`tidegate_estimates_total{${CLASS},result="kept"} 8\n`)
    expect(TEXT).toContain('tidegate_mode{route="shop",mode="observe"} 1\n')
    expect(TEXT).toContain('tidegate_mode{route="shop",mode="enforce"} 0\n')
    expect(TEXT).toContain('tidegate_plan_age_seconds{origin="other"} 1.5\n')
    expect(TEXT).toContain('tidegate_server_up{origin="other",server="http://a"} 0\n')
    expect(TEXT).toContain('tidegate_reports_total{origin="other",result="refused"} 2\n')
  })

  it('name each metric once, for all origins together', ({ expect }) => {
    const named = [...TEXT.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(new Set(named).size).toBe(named.length)
  })

  it('pass promtool', { skip: !hasProgram('promtool') }, ({ expect }) => {
    const checked = execFileSync('promtool', ['check', 'metrics'], { input: TEXT, stdio: 'pipe' })
    expect(checked.toString()).toBe('')
  })
})
