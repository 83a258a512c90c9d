import { readFile } from 'node:fs/promises'
import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema'
import { descriptionsOf, partsOf } from '../../tools/config-schema.ts'
import { scenarioSchema } from './schema.ts'

const FORM = new URL('./form.ts', import.meta.url)

/** The JSON Schema of a scenario file, for editors. */
export async function scenarioJsonSchema(): Promise<JsonSchema> {
  const schema = toJsonSchema(scenarioSchema, {
    typeMode: 'input',
    // Forms of texts are said by the descriptions.
    ignoreActions: ['check'],
  })
  describe(schema, descriptionsOf(await readFile(FORM, 'utf8')))
  return schema
}

/** An object's title is the name of its interface. */
function describe(schema: JsonSchema, descriptions: ReadonlyMap<string, string>): void {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const description = descriptions.get(`${schema.title}.${key}`)
    if (description !== undefined) Object.assign(property as JsonSchema, { description })
  }
  for (const part of partsOf(schema)) describe(part, descriptions)
}
