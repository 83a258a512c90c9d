import { describe, it } from 'vitest'
import { LEARNER_OPTIONS, LEARNERS } from '../../src/learners/registry.ts'

describe('the tables of options', () => {
  it('match the learners, one table each', ({ expect }) => {
    const tables = Object.entries(LEARNERS).map(([name, { options }]) => [name, options])
    expect(LEARNER_OPTIONS).toEqual(Object.fromEntries(tables))
  })
})
