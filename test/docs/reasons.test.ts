import { describe, it } from 'vitest'
import { LEARNER_REASONS, type Sample } from '../../src/learners/learner-interface.ts'
import { createLearner, LEARNERS } from '../../src/learners/registry.ts'
import { CHOICES } from '../support/learner-choices.ts'
import { codeIn, rowsOf, sectionOf } from '../support/learners-page.ts'
import { classTick, tick, times } from '../support/samples.ts'

const names = Object.keys(LEARNERS)
const rows = rowsOf(sectionOf('Why: the reasons'))

/** The learners that may give this reason. */
function learnersIn(cell: string): readonly string[] {
  const named = codeIn(cell)
  return cell.startsWith('all') ? names.filter((name) => !named.includes(name)) : named
}

const givenBy = new Map(rows.map(([reason, , said]) => [codeIn(reason!)[0]!, learnersIn(said!)]))

/** Calm with some variation, a crowd that slows the origin down, silence, calm, an announcement, nonsense. */
const day: readonly Sample[] = Array.from({ length: 200 }, (_, second) => {
  const crowd = second >= 80 && second < 120
  const silent = second >= 120 && second < 130
  const offered = Math.round((crowd ? 200 : 20) * (1 + 0.3 * Math.sin(second / 7)))
  const timesMs = silent ? [] : times(Math.min(offered, 60), crowd ? 1600 : 180)
  return tick({
    lengthMs: second === 199 ? 0 : 1000,
    offered,
    goodput: timesMs.length,
    inFlight: crowd ? 150 : silent ? 20 : 4,
    timesMs,
    classes: [classTick({ offered, timesMs })],
    capacity: second === 160 ? [{ before: 20, after: 12 }] : [],
  })
})

describe('docs/learners.md: the reasons', () => {
  it('are those of src/learners/learner-interface.ts, with the same texts', ({ expect }) => {
    const table = rows.map(([reason, text]) => [codeIn(reason!)[0]!, text])
    expect(table).toEqual(Object.entries(LEARNER_REASONS))
  })

  it('name learners that exist', ({ expect }) => {
    expect(names).toEqual(expect.arrayContaining([...givenBy.values()].flat()))
  })

  it.for(CHOICES)('are given by $name $options as the table says', (choice, { expect }) => {
    const { learner } = createLearner(choice)
    const said = new Set(day.map((sample) => learner.update(sample).reason))
    expect(said.size).toBeGreaterThan(1)
    for (const reason of said) expect(givenBy.get(reason), reason).toContain(choice.name)
  })
})

describe('docs/learners.md: announcing capacity', () => {
  const users = givenBy.get('capacity')!

  it.for(CHOICES)(
    'is used by $name $options if the table names it for `capacity`',
    (choice, { expect }) => {
      const [told, untold] = [createLearner(choice).learner, createLearner(choice).learner]
      const heard = day.slice(0, 70)
      for (const sample of heard) {
        told.update(sample)
        untold.update(sample)
      }
      const announced = { ...day[70]!, capacity: [{ before: 20, after: 12 }] }
      const [after, without] = [told.update(announced), untold.update(day[70]!)]
      const scales = JSON.stringify(told.state) !== JSON.stringify(untold.state)
      expect(scales || after.limit !== without.limit).toBe(users.includes(choice.name))
    },
  )
})
