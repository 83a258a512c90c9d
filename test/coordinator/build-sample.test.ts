import { describe, it } from 'vitest'
import { buildSample, knownSessionRequests, unitOf } from '../../src/coordinator/build-sample.ts'
import { isUsableSample } from '../../src/learners/sample.ts'
import type { Setup } from '../../src/protocol/feedback.ts'
import { CLASS, type Counts, routesFeedback, setupOf } from '../support/feedback.ts'
import { histogramOf } from '../support/histogram.ts'

const sampleOf = (setup: Setup, counts: Counts, lengthMs = 1000) =>
  buildSample({
    setup,
    routes: routesFeedback(counts),
    lengthMs,
    targetOf: ({ sla }) => sla.targets[0]!.targetMs,
    capacity: [],
  })

const SLOWER = { percentile: 95, targets: [{ fromRate: 0, targetMs: 5000 }], windowMs: 300_000 }

describe('the sample of a tick', () => {
  it('has rates per second, whatever the length of the tick', ({ expect }) => {
    const counts = {
      shop: { default: { offered: 30, admitted: 20, requests: 100, served: 90, failed: 10 } },
    }
    expect(sampleOf(setupOf(), counts, 2000)).toMatchObject({
      lengthMs: 2000,
      granularity: 'session',
      offered: { sessions: 15, requests: 55 },
      admitted: { sessions: 10, requests: 50 },
      goodput: 45,
      failures: 5,
    })
  })

  it('has clients who left after the target apart, and nothing of those who left before', ({
    expect,
  }) => {
    const counts = {
      // Of 20 who left, 15 left within the target. 5 answers are light.
      ...{ offered: 100, admitted: 100, requests: 100, served: 80, abandoned: 20 },
      ...{ ignored: 20, ignoredServed: 5 },
    }
    const sample = sampleOf(setupOf(), { shop: { default: counts } })
    expect(sample).toMatchObject({ admitted: { requests: 80 }, goodput: 75, abandoned: 5 })
    const calm = { ...counts, ignored: 25 }
    expect(sampleOf(setupOf(), { shop: { default: calm } })).not.toHaveProperty('abandoned')
  })

  it('judges a class with an SLA of its own by its own percentile and window', ({ expect }) => {
    const sla = { percentile: 99, targets: [{ fromRate: 0, targetMs: 3000 }], windowMs: 60_000 }
    const setup = setupOf({ routes: { shop: { classes: [{ ...CLASS, name: 'a', sla }, CLASS] } } })
    const { tiers, classes } = sampleOf(setup, {})
    expect(tiers.map(({ percentile, windowMs }) => [percentile, windowMs])).toEqual([
      [99, 60_000],
      [95, 300_000],
    ])
    expect(classes.map(({ percentile }) => percentile)).toEqual([99, 95])
  })

  it('has only requests if sessions are not counted', ({ expect }) => {
    const setup = setupOf({ routes: { api: { granularity: 'request' } } })
    const counts = { api: { default: { offered: 30, admitted: 20, requests: 20 } } }
    expect(sampleOf(setup, counts)).toMatchObject({
      granularity: 'request',
      offered: { sessions: 0, requests: 30 },
      admitted: { sessions: 0, requests: 20 },
    })
  })

  it('adds routes, classes and levels up', ({ expect }) => {
    const setup = setupOf({
      routes: { shop: { classes: [{ ...CLASS, name: 'a' }, CLASS] }, more: {} },
    })
    const seen = { offered: 1, admitted: 1, requests: 2, served: 2, inFlight: 3 }
    const sample = sampleOf(setup, { shop: { a: seen, default: seen }, more: { default: seen } })
    expect(sample).toMatchObject({
      admitted: { sessions: 3, requests: 6 },
      goodput: 6,
      inFlight: 9,
    })
    expect(sample.classes.map(({ key }) => key)).toEqual(['shop/a', 'shop/default', 'more/default'])
  })

  it('has the response times of each tier over all its classes', ({ expect }) => {
    const setup = setupOf({
      routes: { shop: { classes: [{ ...CLASS, name: 'buyers', tier: 'db' }, CLASS] }, more: {} },
    })
    const seen = { served: 2, failed: 1, late: 2, latencyUs: 300_000 }
    const { tiers } = sampleOf(setup, {
      shop: {
        buyers: { ...seen, latency: histogramOf([100, 200]) },
        default: { ...seen, latency: histogramOf([300]) },
      },
      more: { default: { ...seen, latency: histogramOf([400]) } },
    })
    expect(tiers.map(({ name, completed, late }) => [name, completed, late])).toEqual([
      ['db', 3, 2],
      ['default', 4, 4],
    ])
    expect(tiers[1]!.latency).toEqual(histogramOf([300, 400]))
  })

  it('keeps the tiers of routes with different SLAs apart', ({ expect }) => {
    const setup = setupOf({ routes: { shop: {}, slow: { sla: SLOWER } } })
    const { tiers } = sampleOf(setup, {})
    expect(tiers.map(({ name, targetMs }) => [name, targetMs])).toEqual([
      ['shop/default', 1000],
      ['slow/default', 5000],
    ])
  })

  it('leaves out routes in mode `off`, and classes that are not in the setup', ({ expect }) => {
    const setup = setupOf({ routes: { shop: {}, off: { mode: 'off', granularity: 'request' } } })
    const seen = { offered: 5, requests: 5, served: 5 }
    const sample = sampleOf(setup, {
      shop: { default: seen, removed: seen },
      off: { default: seen },
    })
    expect(sample.goodput).toBe(5)
    expect(sample.granularity).toBe('session')
    expect(sample.classes).toHaveLength(1)
  })

  it('is usable, even if there was no traffic', ({ expect }) => {
    expect(isUsableSample(sampleOf(setupOf(), {}))).toBe(true)
    expect(isUsableSample(sampleOf(setupOf({ routes: {} }), {}))).toBe(true)
  })
})

describe('the unit of the limit', () => {
  it('is sessions if all routes count sessions, otherwise requests', ({ expect }) => {
    const api = { granularity: 'request' } as const
    expect(unitOf(setupOf({ routes: { a: {}, b: {} } }))).toBe('session')
    expect(unitOf(setupOf({ routes: { a: api } }))).toBe('request')
    expect(unitOf(setupOf({ routes: { a: {}, b: api } }))).toBe('request')
  })
})

describe('requests of known sessions', () => {
  it('are those beyond the first of each admitted session', ({ expect }) => {
    const setup = setupOf({ routes: { shop: {}, api: { granularity: 'request' } } })
    const counts = {
      shop: { default: { requests: 50, admitted: 10 } },
      api: { default: { requests: 99, admitted: 99 } },
    }
    expect(knownSessionRequests(setup, routesFeedback(counts))).toBe(40)
    expect(knownSessionRequests(setup, {})).toBe(0)
  })
})
