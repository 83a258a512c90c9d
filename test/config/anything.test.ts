import fc from 'fast-check'
import { describe, it } from 'vitest'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { resolveConfig } from '../../src/config/load.ts'
import type { TidegateConfig } from '../../src/config/user-config.ts'
import { LEARNERS, ORIGIN, resolved } from '../support/config.ts'

const anything = fc.anything({
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
})

const ROUTE_KEYS = [
  ...['name', 'match', 'origin', 'sla', 'classes', 'granularity', 'session', 'learner', 'tickMs'],
  ...[
    'mode',
    'startup',
    'failure',
    'whenFull',
    'waitingRoom',
    'degrade',
    'redirect',
    'refusal',
    'bypass',
    'verdictHeader',
    'serverTiming',
  ],
  ...['order', 'police', 'smallFirst', 'fairness'],
] as const

/** A good route with any value in one key, or one level below. */
const nearlyGood = fc
  .tuple(fc.constantFrom(...ROUTE_KEYS, '__proto__'), anything, fc.string(), fc.boolean())
  .map(([key, value, inner, isNested]) => {
    const entry = [key, isNested ? Object.fromEntries([[inner, value]]) : value]
    const route = [...Object.entries({ match: '/*', origin: ORIGIN }), entry]
    return { routes: [Object.fromEntries(route)] }
  })

/** Every key is present and has the right type. */
function isFilled(config: unknown): boolean {
  const { routes } = config as { routes: Record<string, unknown>[] }
  return routes.every((route) => {
    const classes = route.classes as Record<string, unknown>[]
    const numbers = [
      route.tickMs,
      ...Object.values(route.sla as object).filter((value) => typeof value !== 'object'),
      ...classes.flatMap(({ value, guaranteed }) => [value, guaranteed]),
    ]
    return (
      ROUTE_KEYS.every((key) => route[key] !== undefined) &&
      numbers.every(Number.isFinite) &&
      classes.length > 0 &&
      // It can be written as JSON without loss.
      JSON.stringify(JSON.parse(JSON.stringify(route))) === JSON.stringify(route)
    )
  })
}

describe('any input', () => {
  it.for([
    ['as the whole', anything],
    ['as a route', anything.map((route) => ({ routes: [route] }))],
    ['in a key of a route', nearlyGood],
    [
      'in a class',
      anything.map((one) => ({ routes: [{ match: '/*', origin: ORIGIN, classes: [one] }] })),
    ],
  ] as const)(
    '%s is accepted with every default, or refused with problems',
    ([, input], { expect }) => {
      fc.assert(
        fc.property(input, (value) => {
          const resolution = resolveConfig(value, { origin: 'required', learners: LEARNERS })
          if (resolution.ok) {
            expect(isFilled(resolution.config)).toBe(true)
            return
          }
          expect(resolution.problems.length).toBeGreaterThan(0)
          for (const { path, expected, found, remedy } of resolution.problems)
            for (const part of [path, expected, found, remedy]) expect(part).toMatch(/^\S[^\n]*$/)
        }),
        { numRuns: 500 },
      )
    },
  )

  it('may be a list that contains itself', ({ expect }) => {
    const routes: unknown[] = []
    routes.push(routes, { match: routes, learner: { name: 'aimd', smoothing: routes } })
    expect(resolveConfig({ routes }, { origin: 'required', learners: LEARNERS }).ok).toBe(false)
  })
})

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,9}$/).filter((text) => !(text in {}))
const segment = fc
  .stringMatching(/^[a-z0-9._~+()-]{1,6}$/)
  .filter((text) => !/^\.+$|^\(?\.\+\)?$|\(\?/.test(text))
const path = fc
  .array(fc.oneof(segment, fc.constant('*')), { maxLength: 4 })
  .map((segments) => `/${segments.join('/')}`)
const goodRoute = fc.record(
  {
    match: path,
    origin: fc.constantFrom(ORIGIN, { url: ORIGIN }, { servers: [{ url: ORIGIN, weight: 3 }] }),
    name,
    sla: fc.record({ targetMs: fc.integer({ min: 1, max: 30_000 }) }),
    classes: fc.uniqueArray(
      fc.record({ name, value: fc.nat(100), match: fc.constant({ method: 'POST' }) }),
      { selector: (one) => one.name, maxLength: 1 },
    ),
    session: fc.record({ idleMs: fc.integer({ min: 1000, max: 9000 }) }),
    verdictHeader: fc.boolean(),
  },
  { requiredKeys: ['match', 'origin'] },
)

describe('a good configuration', () => {
  it('gives the same result from JSON, and keeps the given values', ({ expect }) => {
    fc.assert(
      fc.property(goodRoute, (route) => {
        fc.pre(route.classes?.[0]?.name !== 'default')
        const config = { routes: [route] } as TidegateConfig
        const result = resolved(config)
        expect(resolved(JSON.parse(JSON.stringify(config)))).toEqual(result)
        const [one] = result.routes
        expect(one!.match).toEqual({ host: '*', path: route.match })
        expect(one!.sla.targets[0]!.targetMs).toBe(route.sla?.targetMs ?? DEFAULTS.sla.targetMs)
        expect(one!.verdictHeader).toBe(route.verdictHeader ?? DEFAULTS.verdictHeader)
        expect(isFilled(result)).toBe(true)
      }),
    )
  })

  it('treats undefined as a missing key', ({ expect }) => {
    const full = { match: '/*', origin: ORIGIN, classes: [{ name: 'a', match: {} }] }
    const sparse = {
      ...full,
      sla: undefined,
      classes: [{ name: 'a', tier: undefined, match: { path: undefined } }],
      session: { cookie: undefined },
      surplus: undefined,
    }
    expect(resolved({ routes: [sparse] })).toStrictEqual(resolved({ routes: [full] }))
  })
})
