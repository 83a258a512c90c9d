import type { JsonSchema } from '@valibot/to-json-schema'
import { jsonSchemaOf, partsOf } from '../../tools/json-schema.ts'
import { scenarioSchema } from './schema.ts'

/** The JSON Schema of a scenario file, for editors. */
export const scenarioJsonSchema = (): JsonSchema => jsonSchemaOf(scenarioSchema)

/** One table of keys for each object of a scenario file, as in docs/lab.md. */
export const keyTables = (): string => tablesOf(scenarioJsonSchema()).join('\n\n')

function tablesOf(schema: JsonSchema): readonly string[] {
  const { title, properties } = schema
  const below = partsOf(schema).flatMap(tablesOf)
  if (title === undefined || properties === undefined) return below
  const rows = Object.entries(properties as Record<string, JsonSchema>).map(
    ([key, { description }]) => `| \`${key}\` | ${description} |`,
  )
  const heading = title === 'scenario' ? 'The whole file' : `\`${title}\``
  return [`### ${heading}\n\n| key | |\n|---|---|\n${rows.join('\n')}`, ...below]
}
