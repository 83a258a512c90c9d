import { describe, it } from 'vitest'
import { nearest } from '../../src/config/errors/wording.ts'
import { ORIGIN, problems, route, routeProblems } from '../support/config.ts'

/** The keys that are complained of, in the order of the complaints. */
const keysOf = (lines: readonly string[]): readonly string[] =>
  lines.map((line) => line.slice(0, line.indexOf(': ')))

const blocks: readonly (readonly [keys: object, complaints: readonly string[]])[] = [
  [
    { session: { cookie: 'a b', idleMs: 3_600_000, longestMs: 60_000 } },
    ['session.cookie', 'session.idleMs'],
  ],
  [
    { refusal: { status: 418, retryMinS: 60, retryMaxS: 5 } },
    ['refusal.status', 'refusal.retryMinS'],
  ],
  [{ refusal: { status: 418, retryMinS: 60 } }, ['refusal.status', 'refusal.retryMinS']],
  [
    { sla: { percentile: '95', table: [{ fromRate: 5 }, { fromRate: 2 }] } },
    [
      'sla.percentile',
      'sla.table[0].targetMs',
      'sla.table[1].targetMs',
      'sla.table[0].fromRate',
      'sla.table[1].fromRate',
    ],
  ],
  [{ tickMs: 5000, sla: { percentile: 0, windowMs: 2000 } }, ['sla.percentile', 'tickMs']],
  [{ origin: { url: 'nowhere', timeoutMs: 500 } }, ['origin.url', 'origin.timeoutMs']],
  [
    { origin: { servers: [{ url: ORIGIN, weight: 0 }, { url: ORIGIN }] } },
    ['origin.servers[0].weight', 'origin.servers[1].url'],
  ],
  [
    { learner: { name: 'aimd', smoothing: 2, min: 50, max: 10 } },
    ['learner.smoothing', 'learner.min'],
  ],
  [{ bypass: [{ path: 'x' }, { path: '/*' }] }, ['bypass[0].path', 'bypass[1]']],
]

describe('one faulty key does not hide what the others of its block contradict', () => {
  it.for(blocks)('%j', ([keys, complaints], { expect }) => {
    expect(keysOf(routeProblems(keys))).toEqual(complaints)
  })

  it('a row of the table is compared with the last sound one before it', ({ expect }) => {
    const rates = [0, 50, 'many', 20]
    const table = rates.map((fromRate) => ({ fromRate, targetMs: 1000 }))
    const [, contradiction, ...more] = routeProblems({ sla: { table } })
    expect(contradiction).toContain('sla.table[3].fromRate: expected a number above 50')
    expect(more).toEqual([])
  })

  it('of two routes, each cookie and each pool that is sound by itself', ({ expect }) => {
    const session = { cookie: 'gate', idleMs: 'long' }
    const second = route({ match: '/b/*', session, tickMs: 500 })
    const routes = [route({ match: '/a/*', session: { cookie: 'gate' } }), second]
    expect(keysOf(problems({ routes }))).toEqual([
      'routes[1].session.idleMs',
      'routes[1].session.cookie',
      'routes[1].tickMs',
    ])
  })
})

describe('no complaint follows from a fault', () => {
  it.for([
    [{ refusal: { retryMinS: 60, retryMaxs: 120 } }, 'refusal.retryMaxs'],
    [{ session: { idleMs: 40_000_000, longest: 80_000_000 } }, 'session.longest'],
    [{ sla: { target: 200 }, origin: { url: ORIGIN, timeoutMs: 500 } }, 'sla.target'],
    [{ learner: { name: 'aimd', max: 0.01 } }, 'learner.max'],
    [{ learner: { name: 'aimd', minn: 1, max: 1, decrease: 2 } }, 'learner.minn'],
    [{ sla: { table: [{ fromRate: '0', targetMs: 1 }] } }, 'sla.table[0].fromRate'],
  ] as const)('%j', ([keys, only], { expect }) => {
    expect(keysOf(routeProblems(keys))).toEqual([only])
  })
})

describe('the word that was meant', () => {
  const learners = ['aimd', 'soc', 'soc-lqr', 'fixed']

  it.for(['soclqr', 'soc_lqr', 'SocLqr', 'soclq', 'soc-lpr'])('%s: soc-lqr', (word, { expect }) => {
    expect(nearest(word, learners)).toBe('soc-lqr')
  })

  it('is the shorter one where that is nearer, and none where none is near', ({ expect }) => {
    expect(nearest('socc', learners)).toBe('soc')
    expect(nearest('tick', ['tickMs', 'tier'])).toBe('tickMs')
    expect(nearest('neural', learners)).toBeNull()
  })
})
