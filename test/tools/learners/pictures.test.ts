import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { apiCourse, type Course, shopCourse } from '../../../tools/learners/courses.ts'
import { aimdPicture, lqrPicture, probabilityPicture } from '../../../tools/learners/laws.ts'
import { resultsText } from '../../../tools/learners/results-text.ts'
import { timelineOf } from '../../../tools/learners/timeline.ts'
import { Trials } from '../../../tools/learners/trial.ts'

const PAGE = readFileSync(new URL('../../../docs/learners.md', import.meta.url), 'utf8')
const file = (name: string) =>
  readFileSync(new URL(`../../../docs/images/learners/${name}.svg`, import.meta.url), 'utf8')

/** The first minutes of the shop's day. */
const short: Course = { ...shopCourse(), surgeS: 60, lossS: 90, endS: 120 }

describe('the pictures of docs/learners.md', () => {
  it('are the same for the same seed, and different for another', ({ expect }) => {
    const draw = (seed: number) =>
      timelineOf(new Trials(short, seed).ofLearner({ name: 'soc-lqr', options: {} }), {
        title: 'soc-lqr',
      })
    expect(draw(1)).toBe(draw(1))
    expect(draw(2)).not.toBe(draw(1))
  })

  it('draw a limit if there is one', ({ expect }) => {
    const trials = new Trials(short, 1)
    const draw = (name: string) =>
      timelineOf(trials.ofLearner({ name, options: { limit: 2 } }), { title: name })
    expect(draw('fixed')).toContain('the limit')
    expect(draw('tbac')).not.toContain('the limit')
  })

  it.for([
    ['tbac-pac-law', probabilityPicture],
    ['aimd-law', aimdPicture],
    ['lqr-law', lqrPicture],
  ] as const)(
    'show the current law: %s, drawn by tools/learner-pictures.ts',
    ([name, draw], { expect }) => {
      expect(draw()).toBe(file(name))
    },
  )

  it('show the current runs: `node tools/learner-pictures.ts` draws them again', ({ expect }) => {
    const fixed = { name: 'fixed', options: { limit: 2 } }
    const trial = new Trials(shopCourse(), 1).ofLearner(fixed)
    expect(timelineOf(trial, { title: 'fixed' })).toBe(file('fixed'))
  }, 30_000)

  it('are next to the results of the same runs', ({ expect }) => {
    const shop = new Trials(shopCourse(), 1).ofNobodyRefused()
    const api = new Trials(apiCourse(), 1).ofNobodyRefused()
    expect(PAGE).toContain(resultsText([{ name: 'nobody is refused', shop, api }]).trim())
  }, 30_000)
})
