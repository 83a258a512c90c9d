import { describe, it } from 'vitest'
import { FUZZ_INPUTS } from '../support/fuzz.ts'
import { problemsWith, readDocument, rowsUnder } from '../support/named-tests.ts'

const page = readDocument('docs/security.md')

const faults = rowsUnder(page, 'Faults that were found, and stay closed')
const threats = rowsUnder(page, 'Threats')

describe('docs/security.md', () => {
  it('has the 20 faults by their numbers, and each kind of threat', ({ expect }) => {
    expect(faults.map((row) => Number(row.split('|')[1]))).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    )
    expect(threats.length).toBeGreaterThanOrEqual(15)
  })

  it.for([...faults, ...threats])('names tests that exist: %s', (row, { expect }) => {
    expect(problemsWith(row)).toEqual([])
  })

  it('has the number of inputs of the fuzzers', ({ expect }) => {
    const sum = Object.values<number>(FUZZ_INPUTS).reduce((a, b) => a + b, 0)
    expect(page).toContain(`${sum.toLocaleString('en')} inputs`)
  })
})
