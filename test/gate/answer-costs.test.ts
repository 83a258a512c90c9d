import { describe, it } from 'vitest'
import { type Distribution, exponential, uniform } from '../../lab/engine/distributions.ts'
import { streams } from '../../lab/engine/random.ts'
import { OriginState } from '../../src/gate/origin-state.ts'
import { FakeRuntime } from '../support/fakes.ts'
import { routeOf } from '../support/requests.ts'

const around = (ms: number) => uniform({ from: ms / 2, to: 1.5 * ms })

interface Page {
  readonly path: string
  readonly class: number
  readonly part: number
  readonly service: Distribution
}

/** What the last 2000 of 20,000 answers of an isolate cost in the mean, by page. */
function costsOf(pages: readonly Page[], classes: readonly string[]): number[] {
  const route = routeOf({
    classes: classes.map((name) => ({ name, match: { path: `/${name}/*` } })),
  })
  const state = new OriginState([route], new FakeRuntime())
  const random = streams(1)('answers')
  const sums = pages.map(() => ({ cost: 0, answers: 0 }))
  for (let i = 0; i < 20_000; i++) {
    let left = random.next()
    const index = pages.findIndex(({ part }) => {
      left -= part
      return left < 0
    })
    const { path, class: klass, service } = pages[index]!
    const answer = { key: path, method: 'GET', status: 200, sessionAgeMs: null }
    const responseMs = service.draw(random)
    const cost = state.costOf('shop', route.classes[klass]!, { ...answer, responseMs })
    if (i < 18_000) continue
    sums[index]!.cost += cost
    sums[index]!.answers++
  }
  return sums.map(({ cost, answers }) => cost / answers)
}

describe('what an isolate reports of an answer', () => {
  it('is exactly 1 where each class has pages that are alike, because the coordinator learns what classes cost', ({
    expect,
  }) => {
    const pages = [
      { path: '/', class: 1, part: 0.8, service: exponential({ mean: 20 }) },
      { path: '/search', class: 0, part: 0.2, service: exponential({ mean: 160 }) },
    ]
    expect(costsOf(pages, ['search', 'rest'])).toEqual([1, 1])
  })

  it('is the cost beside the pages of its own class, where paths of a class differ', ({
    expect,
  }) => {
    const pages = [
      { path: '/', class: 1, part: 0.56, service: around(20) },
      { path: '/list', class: 1, part: 0.14, service: around(120) },
      { path: '/search', class: 0, part: 0.3, service: around(200) },
    ]
    const [ofPage = 0, ofList = 0, ofSearch = 0] = costsOf(pages, ['search', 'rest'])
    // The mean page beside the searches takes 40 ms.
    expect(Math.abs(ofPage - 20 / 40)).toBeLessThan(0.1)
    expect(Math.abs(ofList - 120 / 40)).toBeLessThan(0.3)
    expect(ofSearch).toBe(1)
  })

  it('counts pages that are few and fast among slow ones of another class', ({ expect }) => {
    const pages = [
      { path: '/', class: 1, part: 0.2, service: around(20) },
      { path: '/search', class: 0, part: 0.8, service: around(160) },
    ]
    // A light answer would cost 0 most of the time.
    expect(costsOf(pages, ['search', 'rest'])).toEqual([1, 1])
  })
})
