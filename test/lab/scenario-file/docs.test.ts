import { readFile } from 'node:fs/promises'
import type { JsonSchema } from '@valibot/to-json-schema'
import { describe, it } from 'vitest'
import { bestLoadIn, capacityOf, statesOf, withBest } from '../../../lab/scenario-file/best.ts'
import { checkScenario } from '../../../lab/scenario-file/check.ts'
import { contestOfFile } from '../../../lab/scenario-file/contest.ts'
import { keyTables, scenarioJsonSchema } from '../../../lab/scenario-file/docs.ts'
import { play } from '../../../lab/tournament/policies.ts'
import { problemsText } from '../../../src/config/errors/problem.ts'
import { partsOf } from '../../../tools/json-schema.ts'

const PAGE = await readFile(new URL('../../../docs/lab.md', import.meta.url), 'utf8')
const [example = ''] = PAGE.match(/(?<=```json\n).*?(?=```)/s) ?? []

describe('docs/lab.md', () => {
  it('has the keys of scenario files as in the schema (npm run lab -- schema --docs)', ({
    expect,
  }) => {
    expect(PAGE).toContain(keyTables())
  })

  it('has an example that runs, and in which Tidegate does better than no gate', {
    timeout: 60_000,
  }, async ({ expect }) => {
    const checked = checkScenario(JSON.parse(example))
    if (!checked.ok) throw new Error(JSON.stringify(checked.problems))
    const content = { scenario: checked.scenario }
    const loads = statesOf(content).map(
      (state) => [capacityOf(state), bestLoadIn(content, state)] as const,
    )
    const contest = contestOfFile(withBest(content, loads))
    const value = async (policy: string) => (await play(contest, policy, 1)).inSlaValue
    expect(await value('soc-lqr')).toBeGreaterThan(2 * (await value('none')))
  })

  it('shows the message of a broken file as it is', ({ expect }) => {
    const checked = checkScenario({ ...JSON.parse(example), seconds: '10min', arrivals: {} })
    if (checked.ok) throw new Error('it was taken')
    expect(PAGE).toContain(`my-sale.json: ${problemsText(checked.problems, 'the scenario')}`)
  })
})

describe('the JSON Schema of scenario files', () => {
  it('describes every key', ({ expect }) => {
    const bare: string[] = []
    const visit = (schema: JsonSchema) => {
      for (const [key, property] of Object.entries(schema.properties ?? {})) {
        if ((property as JsonSchema).description === undefined) bare.push(`${schema.title}.${key}`)
      }
      for (const part of partsOf(schema)) visit(part)
    }
    visit(scenarioJsonSchema())
    expect(bare).toEqual([])
  })
})
