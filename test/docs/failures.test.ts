import { describe, it } from 'vitest'
import { COORDINATOR_FAULTS, ORIGIN_FAULTS } from '../../tools/chaos/faults.ts'
import { problemsWith, readDocument, rowsUnder } from '../support/named-tests.ts'

const page = readDocument('docs/failures.md')
const rows = rowsUnder(page, 'Failures')

describe('docs/failures.md', () => {
  it('has a line for each kind of failure', ({ expect }) => {
    expect(rows.length).toBeGreaterThanOrEqual(22)
  })

  it.for(rows)('names tests that exist: %s', (row, { expect }) => {
    expect(problemsWith(row)).toEqual([])
  })

  it('says how many faults chaos knows', ({ expect }) => {
    const list = page.split(/that a seed\s+decides:/)[1]!.split('A gate learns')[0]!
    const [origin, coordinator] = list.split(';').map((part) => part.split(/,\s+|\s+or\s+/).length)
    expect([origin, coordinator]).toEqual([ORIGIN_FAULTS.length, COORDINATOR_FAULTS.length])
  })
})
