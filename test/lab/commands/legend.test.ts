import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'
import { LEGEND } from '../../../lab/commands/legend.ts'
import { contestText } from '../../../lab/tournament/texts.ts'

const meanings = new Map(
  LEGEND.split('\n').map((line) => {
    const [column = '', meaning = ''] = line.trim().split(/ {2,}/)
    return [column, meaning]
  }),
)

describe('the legend below a scenario’s table', () => {
  it('explains every column except the policy, in the order of the columns', ({ expect }) => {
    const [heading = ''] = contestText([]).split('\n')
    const columns = heading.trim().split(/ {2,}/)
    expect([...meanings.keys()]).toEqual(columns.slice(1))
  })

  it('uses the names of docs/lab.md', ({ expect }) => {
    const docs = readFileSync(new URL('../../../docs/lab.md', import.meta.url), 'utf8')
    const named = { missed: 'windows missed', recovery: 'recovery time', 'with room': 'refused with room' } // biome-ignore format: a table
    for (const [column, figure] of Object.entries(named)) {
      expect(docs).toContain(`| ${figure} |`)
      expect(meanings.get(column)).toMatch(new RegExp(`^${figure}: `))
    }
  })
})
