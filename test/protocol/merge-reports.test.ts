import fc from 'fast-check'
import { describe, it } from 'vitest'
import {
  levelsOnly,
  mergeRoutes,
  mergeServers,
  type RoutesFeedback,
  withoutLevels,
} from '../../src/protocol/merge-reports.ts'
import { anyRoutes, anyServers, routesFeedback } from '../support/feedback.ts'

/** The order of keys says nothing. */
const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, inner]) => [key, sorted(inner)])
}

describe('feedback merges', () => {
  it('by adding counts and histograms; what only one report has is kept', ({ expect }) => {
    const a = routesFeedback({ shop: { x: { offered: 2, latency: [3, 1, 5, 2] } } })
    const b = routesFeedback({
      shop: { x: { offered: 3, latency: [5, 4] }, y: { served: 1 } },
      api: { z: { failed: 1 } },
    })
    expect(mergeRoutes(a, b)).toEqual(
      routesFeedback({
        shop: { x: { offered: 5, latency: [3, 1, 5, 6] }, y: { served: 1 } },
        api: { z: { failed: 1 } },
      }),
    )
  })

  it('in any order and grouping, exactly', ({ expect }) => {
    fc.assert(
      fc.property(anyRoutes, anyRoutes, anyRoutes, (a, b, c) => {
        const left = mergeRoutes(mergeRoutes(a, b), c)
        expect(mergeRoutes(a, mergeRoutes(b, c))).toEqual(left)
        expect(sorted(mergeRoutes(mergeRoutes(c, a), b))).toEqual(sorted(left))
      }),
      { numRuns: 50 },
    )
  })

  it('with nothing into itself', ({ expect }) => {
    fc.assert(
      fc.property(anyRoutes, (a) => {
        expect(mergeRoutes(a, {})).toEqual(a)
        expect(mergeRoutes({}, a)).toEqual(a)
      }),
    )
  })

  it('without changing its inputs', ({ expect }) => {
    fc.assert(
      fc.property(anyRoutes, anyRoutes, (a, b) => {
        const before = JSON.stringify([a, b])
        mergeRoutes(a, b)
        expect(JSON.stringify([a, b])).toBe(before)
      }),
    )
  })
})

describe('the feedback of servers', () => {
  it('merges by adding tries and failures', ({ expect }) => {
    const a = { 'http://a': { tries: 3, failures: 1 }, 'http://b': { tries: 1, failures: 1 } }
    expect(mergeServers(a, { 'http://a': { tries: 2, failures: 2 } })).toEqual({
      'http://a': { tries: 5, failures: 3 },
      'http://b': { tries: 1, failures: 1 },
    })
  })

  it('in any order and grouping, exactly', ({ expect }) => {
    fc.assert(
      fc.property(anyServers, anyServers, anyServers, (a, b, c) => {
        const left = mergeServers(mergeServers(a, b), c)
        expect(mergeServers(a, mergeServers(b, c))).toEqual(left)
        expect(sorted(mergeServers(mergeServers(c, a), b))).toEqual(sorted(left))
        expect(mergeServers(a, {})).toEqual(a)
      }),
    )
  })
})

describe('levels', () => {
  it('are separated from the counts, and nothing is lost', ({ expect }) => {
    fc.assert(
      fc.property(anyRoutes, (a) => {
        expect(mergeRoutes(withoutLevels(a), levelsOnly(a))).toEqual(a)
        const levels = (routes: RoutesFeedback): number =>
          Object.values(routes)
            .flatMap(({ classes }) => Object.values(classes))
            .reduce((sum, { inFlight }) => sum + inFlight, 0)
        expect(levels(withoutLevels(a))).toBe(0)
        expect(levels(levelsOnly(a))).toBe(levels(a))
      }),
      { numRuns: 50 },
    )
  })
})
