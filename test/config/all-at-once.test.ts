import { describe, it } from 'vitest'
import { nearest } from '../../src/config/errors/wording.ts'
import { ORIGIN, problems, route, routeProblems } from '../support/config.ts'

/** The keys of the problems, in their order. */
const keysOf = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.slice(0, line.indexOf(': ')))

const routes: readonly (readonly [keys: object, faulty: readonly string[]])[] = [
  [
    { session: { cookie: 'a b' }, refusal: { retryMinS: 60, retryMaxS: 5 } },
    ['session.cookie', 'refusal.retryMinS'],
  ],
  [
    { refusal: { status: 418 }, session: { idleMs: 3_600_000, maxAgeMs: 60_000 } },
    ['refusal.status', 'session.idleMs'],
  ],
  [
    { sla: { table: [{ fromRate: 5, targetMs: 900 }, { fromRate: 2, targetMs: 900 }] }, mode: 0 }, // biome-ignore format: a table
    ['mode', 'sla.table[0].fromRate', 'sla.table[1].fromRate'],
  ],
  [{ granularity: 1, tickMs: 5000, sla: { windowMs: 2000 } }, ['granularity', 'tickMs']],
  [
    { bypass: [{ path: 'x' }], origin: { servers: [{ url: ORIGIN }, { url: ORIGIN }] } },
    ['bypass[0].path', 'origin.servers[1].url'],
  ],
  [
    { learner: { name: 'aimd', smoothing: 2, min: 50, max: 10 } },
    ['learner.smoothing', 'learner.min'],
  ],
  [{ classes: [{ name: '!' }], bypass: [{ path: '/*' }] }, ['classes[0].name', 'bypass[0]']],
]

describe('a fault in one key of a route does not hide a contradiction between other keys', () => {
  it.for(routes)('%j', ([keys, faulty], { expect }) => {
    expect(keysOf(routeProblems(keys))).toEqual(faulty)
  })

  it('also between two routes', ({ expect }) => {
    const second = route({ match: '/b/*', session: { cookie: 'gate' }, tickMs: 500, mode: 0 })
    const routes = [route({ match: '/a/*', session: { cookie: 'gate' } }), second]
    expect(keysOf(problems({ routes }))).toEqual([
      'routes[1].mode',
      'routes[1].session.cookie',
      'routes[1].tickMs',
    ])
  })

  it('also when it is in another route', ({ expect }) => {
    const faulty = route({ match: '/a/*', tickMs: 'often' })
    const routes = [faulty, route({ match: '/b/*' }), route({ match: '/c/*', tickMs: 500 })]
    expect(keysOf(problems({ routes }))).toEqual(['routes[0].tickMs', 'routes[2].tickMs'])
  })
})

describe('a fault does not lead to a second problem', () => {
  it.for([
    [{ refusal: { retryMinS: 60, retryMaxs: 120 } }, 'refusal.retryMaxs'],
    [{ session: { idleMs: 40_000_000, longest: 80_000_000 } }, 'session.longest'],
    [{ sla: { target: 200 }, origin: { url: ORIGIN, timeoutMs: 500 } }, 'sla.target'],
    [{ learner: { name: 'aimd', max: 0.01 } }, 'learner.max'],
    [{ learner: { name: 'aimd', minn: 1, max: 1, decrease: 2 } }, 'learner.minn'],
    [{ sla: { table: [{ fromRate: '0', targetMs: 1 }] } }, 'sla.table[0].fromRate'],
    [{ tickMs: 5000, sla: { percentile: 0, windowMs: 2000 } }, 'sla.percentile'],
    [{ origin: { url: 'nowhere', timeoutMs: 500 } }, 'origin.url'],
    [{ classes: [{ name: 'a', value: 'high' }, { name: 'a' }] }, 'classes[0].value'],
  ] as const)('%j', ([keys, only], { expect }) => {
    expect(keysOf(routeProblems(keys))).toEqual([only])
  })
})

describe('the nearest known word', () => {
  const learners = ['aimd', 'soc', 'soc-lqr', 'fixed']

  it.for(['soclqr', 'soc_lqr', 'SocLqr', 'soclq', 'soc-lpr'])('%s: soc-lqr', (word, { expect }) => {
    expect(nearest(word, learners)).toBe('soc-lqr')
  })

  it('is the shorter word if that is nearer, and null if none is near', ({ expect }) => {
    expect(nearest('socc', learners)).toBe('soc')
    expect(nearest('tick', ['tickMs', 'tier'])).toBe('tickMs')
    expect(nearest('neural', learners)).toBeNull()
  })
})
