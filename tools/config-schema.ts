import { readFile } from 'node:fs/promises'
import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema'
import { proxySchema } from '../src/config/schema/schema.ts'
import type { Option, OptionTable } from '../src/lib/option-table.ts'

const FORM = new URL('../src/config/user-config.ts', import.meta.url)

/** The JSON Schema of what a user writes, for editors of JSON files. */
export async function jsonSchema(
  learners: Readonly<Record<string, OptionTable>>,
): Promise<JsonSchema> {
  const schema = toJsonSchema(proxySchema, {
    typeMode: 'input',
    // Forms of texts are said by the descriptions.
    ignoreActions: ['check'],
  })
  describe(schema, descriptionsOf(await readFile(FORM, 'utf8')))
  const route = (schema.properties!.routes as JsonSchema).items as JsonSchema
  Object.assign(route.properties!.learner as JsonSchema, { anyOf: learnerForms(learners) })
  return schema
}

type Descriptions = ReadonlyMap<string, string>

/** What the editor shows for TypeScript, by `Interface.key`: read from the comments of form.ts. */
export function descriptionsOf(source: string): Descriptions {
  const found = new Map<string, string>()
  for (const [, name, body] of source.matchAll(/^export interface (\w+) \{\n(.*?)^\}/gms))
    for (const [, text, key] of body!.matchAll(/\/\*\* (.*?) \*\/\s+readonly (\$?\w+)\??:/gs))
      found.set(`${name}.${key}`, text!)
  return found
}

/** An object's title is the name of its interface. */
function describe(schema: JsonSchema, descriptions: Descriptions): void {
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const description = descriptions.get(`${schema.title}.${key}`)
    if (description !== undefined) Object.assign(property as JsonSchema, { description })
  }
  for (const part of partsOf(schema)) describe(part, descriptions)
}

/** The schemas one level below. */
export function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const { properties = {}, items = [], anyOf = [], additionalProperties } = schema
  return [...Object.values(properties), items, anyOf, additionalProperties]
    .flat()
    .filter((part): part is JsonSchema => typeof part === 'object')
}

function learnerForms(learners: Readonly<Record<string, OptionTable>>): readonly JsonSchema[] {
  const forms = Object.entries(learners).map(
    ([name, table]): JsonSchema => ({
      type: 'object',
      title: `LearnerConfig, ${name}`,
      properties: {
        name: { const: name },
        ...Object.fromEntries(Object.entries(table).map(([key, one]) => [key, optionSchema(one)])),
      },
      required: ['name'],
      additionalProperties: false,
    }),
  )
  return [{ enum: Object.keys(learners) }, ...forms]
}

function optionSchema(option: Option): JsonSchema {
  const { kind, text: description, default: standard } = option
  if (kind === 'boolean') return { type: kind, description, default: standard }
  const { min, max, above, below } = option
  return {
    type: kind,
    description,
    default: standard,
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(above !== undefined && { exclusiveMinimum: above }),
    ...(below !== undefined && { exclusiveMaximum: below }),
  }
}
