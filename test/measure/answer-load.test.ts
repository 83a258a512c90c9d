import fc from 'fast-check'
import { describe, it } from 'vitest'
import { exponential } from '../../lab/engine/distributions.ts'
import { streams } from '../../lab/engine/random.ts'
import { AnswerLoads } from '../../src/measure/answer-load.ts'
import { keyOf } from '../../src/measure/service-times.ts'

interface Kind {
  readonly perSecond: number
  readonly serviceMs: number
  readonly path: (i: number) => string
  readonly status?: number
  readonly method?: string
  readonly sessionAgeMs: number | null
}

const PAGE: Kind = {
  perSecond: 60,
  serviceMs: 50,
  path: (i) => `/page/${i % 7}`,
  sessionAgeMs: 5000,
}
const HOUR = 3_600_000

/** The origin answers these kinds for a minute. `waitMs` is the time in the queue, in which all wait alike. */
function answer(loads: AnswerLoads, kinds: readonly Kind[], waitMs: (atS: number) => number) {
  const random = streams(1)
  const service = kinds.map(({ serviceMs }, i) => {
    const times = random(`service ${i}`)
    return { draw: () => exponential({ mean: serviceMs }).draw(times) }
  })
  const turns = kinds
    .flatMap(({ perSecond }, kind) =>
      Array.from({ length: 60 * perSecond }, (_, i) => ({ kind, atS: i / perSecond })),
    )
    .sort((a, b) => a.atS - b.atS)
  const pages = kinds.map(() => 0)
  for (const [i, { kind, atS }] of turns.entries()) {
    const { path, status = 200, method = 'GET', sessionAgeMs } = kinds[kind]!
    const responseMs = waitMs(atS) + service[kind]!.draw()
    const key = keyOf('shop', path(i))
    const counted = loads.count({ key, method, status, responseMs, sessionAgeMs })
    if (counted !== 'ignored') pages[kind]! += 1
  }
  return kinds.map(({ perSecond }, i) => pages[i]! / (60 * perSecond))
}

const calm = () => 0
/** A queue that moves between 0 and 800 ms. */
const busy = (atS: number) => 400 + 400 * Math.sin(atS / 3)

describe('what counts as a page', () => {
  it('is every answer where all cost alike, however long the queue is', ({ expect }) => {
    const loads = new AnswerLoads()
    const kinds = [PAGE, { ...PAGE, path: (i: number) => `/seldom/${i}x` }]
    expect(answer(loads, kinds, calm)).toEqual([1, 1])
    expect(answer(loads, kinds, busy)).toEqual([1, 1])
  })

  it.for([
    ['404 on random paths', { status: 404, path: (i: number) => `/x${i.toString(36)}y` }],
    ['304', { status: 304 }],
    ['redirects', { status: 302 }],
    ['HEAD', { method: 'HEAD' }],
    ['a tiny page', { path: () => '/robots.txt' }],
    ['tiny pages on random paths', { path: (i: number) => `/y${i.toString(36)}z` }],
  ] as const)(
    'is hardly any of 300/s of %s, although they wait in the same queue',
    ([, how], { expect }) => {
      const loads = new AnswerLoads()
      answer(loads, [PAGE], calm)
      const light: Kind = {
        ...PAGE,
        perSecond: 300,
        serviceMs: 1,
        sessionAgeMs: HOUR,
        ...how,
      }
      for (const wait of [calm, busy]) {
        const [pages = 0, lightPages = 1] = answer(loads, [PAGE, light], wait)
        expect(pages).toBe(1)
        // 300/s count as less than an eighth of the 80 pages/s.
        expect(lightPages * 300).toBeLessThan(80 / 8)
      }
    },
  )

  it('does not depend on old sessions: a client with a cookie cannot change what a page is', ({
    expect,
  }) => {
    const loads = new AnswerLoads()
    answer(loads, [PAGE], calm)
    const flood = { ...PAGE, perSecond: 600, serviceMs: 1, path: () => '/tiny', sessionAgeMs: HOUR }
    answer(loads, [flood], calm)
    const [tiny = 1, page = 0] = answer(loads, [flood, PAGE], calm)
    expect(page).toBe(1)
    expect(tiny).toBeLessThan(0.03)
  })

  it('is every ordinary page, although a few others are much slower', ({ expect }) => {
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 3000 }), (serviceMs) => {
        const other = { ...PAGE, perSecond: 15, serviceMs, path: () => '/other' }
        expect(answer(new AnswerLoads(), [PAGE, other], calm)[0]).toBe(1)
      }),
      { numRuns: 10 },
    )
  })
})
