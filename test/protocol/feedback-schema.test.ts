import fc from 'fast-check'
import { describe, it } from 'vitest'
import { FEEDBACK_VERSION } from '../../src/protocol/feedback.ts'
import { isFeedback, isSetup } from '../../src/protocol/feedback-schema.ts'
import { anyRoutes, anyServers, feedbackOf, setupOf } from '../support/feedback.ts'

const GOOD = feedbackOf({ shop: { default: { offered: 1, latency: [3, 2] } } })

/** The good report with one place in it changed. */
function changed(path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(GOOD) as unknown as Record<string, unknown>
  let at = copy
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>
  at[path.at(-1)!] = value
  return copy
}

const CLASS = ['routes', 'shop', 'classes', 'default']

const manyReasons = () => Object.fromEntries(Array.from({ length: 51 }, (_, i) => [letters(i), 1]))
const LONG_URL = `http://${'a'.repeat(300)}`
const manyServers = () =>
  Object.fromEntries(
    Array.from({ length: 1001 }, (_, i) => [`http://${i}`, { tries: 1, failures: 0 }]),
  )
const letters = (i: number): string => String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))

describe('a valid report', () => {
  it('has any counts, also after it was JSON', ({ expect }) => {
    fc.assert(
      fc.property(anyRoutes, (routes) => {
        expect(isFeedback({ ...GOOD, routes })).toBe(true)
        expect(isFeedback(JSON.parse(JSON.stringify({ ...GOOD, routes })))).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('may have servers', ({ expect }) => {
    fc.assert(
      fc.property(anyServers, (servers) => {
        expect(isFeedback({ ...GOOD, servers })).toBe(true)
        expect(isFeedback({ ...GOOD, seq: 1, again: { ...GOOD, servers } })).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('may have a setup, and may cover no time', ({ expect }) => {
    expect(isFeedback({ ...GOOD, setup: setupOf() })).toBe(true)
    expect(isFeedback({ ...GOOD, fromMs: 1000, toMs: 1000 })).toBe(true)
  })
})

describe('an invalid report', () => {
  const BAD: readonly (readonly [string, unknown])[] = [
    ['null', null],
    ['a number', 5],
    ['a text', 'report'],
    ['a list', [GOOD]],
    ['an empty object', {}],
    ['another version', changed(['version'], FEEDBACK_VERSION + 1)],
    ['no sender', changed(['sender'], undefined)],
    ['a negative number of its own', changed(['seq'], -1)],
    ['an interval that ends before it starts', changed(['toMs'], -1)],
    ['NaN in its interval', changed(['fromMs'], Number.NaN)],
    ['NaN as a count', changed([...CLASS, 'offered'], Number.NaN)],
    ['an infinite count', changed([...CLASS, 'served'], Number.POSITIVE_INFINITY)],
    ['a negative count', changed([...CLASS, 'inFlight'], -1)],
    ['a fraction as a count', changed([...CLASS, 'failed'], 0.5)],
    ['an absurd count', changed([...CLASS, 'admitted'], 1e13)],
    ['a count as text', changed([...CLASS, 'offered'], '7')],
    ['a count that is missing', changed([...CLASS, 'late'], undefined)],
    ['an unknown count', changed([...CLASS, 'other'], 1)],
    ['servers in a list', changed(['servers'], [{ tries: 1, failures: 0 }])],
    ['a server that is not a URL', changed(['servers'], { a: { tries: 1, failures: 0 } })],
    ['a URL that is too long', changed(['servers'], { [LONG_URL]: { tries: 1, failures: 0 } })],
    ['too many servers', changed(['servers'], manyServers())],
    ['more failures than tries', changed(['servers'], { 'http://a': { tries: 1, failures: 2 } })],
    [
      'a fraction as a count of tries',
      changed(['servers'], { 'http://a': { tries: 1.5, failures: 1 } }),
    ],
    ['tries without failures', changed(['servers'], { 'http://a': { tries: 1 } })],
    ['a reason that is not a word', changed([...CLASS, 'admits'], { 'a b': 1 })],
    ['a reason without a count', changed([...CLASS, 'refusals'], { share: null })],
    ['too many reasons', changed([...CLASS, 'refusals'], manyReasons())],
    ['a histogram of odd length', changed([...CLASS, 'latency'], [1, 2, 3])],
    ['an unsorted histogram', changed([...CLASS, 'latency'], [5, 1, 4, 1])],
    ['a histogram with an unknown bucket', changed([...CLASS, 'latency'], [1e6, 1])],
    ['an unknown age bucket', changed(['routes', 'shop', 'ages'], [88, 1])],
    ['classes as a list', changed(['routes', 'shop', 'classes'], [])],
    ['null as routes', changed(['routes'], null)],
    ['an unknown key', { ...GOOD, more: 1 }],
    ['an invalid setup', { ...GOOD, setup: {} }],
  ]
  for (const [what, value] of BAD)
    it(`is one with ${what}`, ({ expect }) => {
      expect(isFeedback(value)).toBe(false)
    })

  it('is any other value', ({ expect }) => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(isFeedback(value)).toBe(false)
        expect(isFeedback({ ...GOOD, routes: { shop: value } })).toBe(false)
      }),
    )
  })
})

describe('a setup', () => {
  it('is valid with and without the keys that came later', ({ expect }) => {
    expect(isSetup(setupOf())).toBe(true)
    expect(isSetup({ ...setupOf(), order: 'density' })).toBe(true)
    expect(isSetup(setupOf({ servers: [{ url: 'https://a.example.com', weight: 0.5 }] }))).toBe(
      true,
    )
    expect(isSetup(setupOf({ routes: { shop: { police: 'auto' } } }))).toBe(true)
  })

  it('is invalid if a part of it is', ({ expect }) => {
    const sla = { percentile: 95, targets: [{ fromRate: 0, targetMs: 1000 }], windowMs: 1000 }
    for (const bad of [
      { ...setupOf(), tickMs: 0 },
      { ...setupOf(), sinceMs: 'now' },
      { ...setupOf(), learner: { name: 'nobody', options: {} } },
      { ...setupOf(), learner: { name: 'toString', options: {} } },
      { ...setupOf(), learner: { name: { toString: [] }, options: {} } },
      { ...setupOf(), learner: { name: 'fixed', options: null } },
      setupOf({ routes: { shop: { granularity: 'visitor' as never } } }),
      setupOf({ routes: { shop: { sla: { ...sla, targets: [] } } } }),
      setupOf({ routes: { shop: { sla: { ...sla, percentile: 100 } } } }),
      setupOf({ routes: { shop: { classes: [{ name: 'a' } as never] } } }),
      { ...setupOf(), order: 'price' },
      { ...setupOf(), more: 1 },
      setupOf({ routes: { shop: { police: 'none' as never } } }),
      setupOf({ servers: [{ url: 'http://a', weight: 0 }] }),
      setupOf({ servers: [{ url: 'nowhere', weight: 1 }] }),
      setupOf({ servers: {} as never }),
    ])
      expect(isSetup(bad), JSON.stringify(bad)).toBe(false)
  })
})
