import { describe, it } from 'vitest'
import { knownFeedback } from '../../../src/coordinator/operator/known-feedback.ts'
import { routesFeedback, setupOf } from '../../support/feedback.ts'

const known = (counts: Parameters<typeof routesFeedback>[0]) =>
  knownFeedback(setupOf(), routesFeedback(counts))

describe('what is kept of feedback', () => {
  it('is that of configured routes and classes', ({ expect }) => {
    const kept = known({
      shop: { default: { offered: 3 }, made: { offered: 9 } },
      'made up': { default: { offered: 9 } },
    })
    expect(Object.keys(kept)).toEqual(['shop'])
    expect(Object.keys(kept.shop!.classes)).toEqual(['default'])
  })

  it('counts unknown reasons together, so that labels stay few', ({ expect }) => {
    const refusals = { share: 2, 'made-up': 3, another: 4 }
    const kept = known({ shop: { default: { refusals, admits: { share: 1 } } } })
    expect(kept.shop!.classes.default).toMatchObject({
      ...{ refusals: { share: 2, other: 7 }, admits: { share: 1 } },
    })
  })

  it('has no tickets, which would grow without end', ({ expect }) => {
    const kept = known({
      shop: { default: { places: { a: 1 }, fresh: { a: 1 }, queued: { share: 2 } } },
    })
    expect(kept.shop!.classes.default).not.toHaveProperty('places')
    expect(kept.shop!.classes.default).not.toHaveProperty('fresh')
    expect(kept.shop!.classes.default!.queued).toEqual({ share: 2 })
  })
})
