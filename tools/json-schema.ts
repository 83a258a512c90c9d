import { type JsonSchema, toJsonSchema } from '@valibot/to-json-schema'

type Schema = Parameters<typeof toJsonSchema>[0]

/** The JSON Schema of what a user writes, for editors of JSON files. Each key has its description. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  const { $defs, ...inlined } = toJsonSchema(schema, {
    typeMode: 'input',
    // The formats of texts are in the descriptions.
    ignoreActions: ['raw_check'],
    // A `v.lazy` becomes a reference. Editors ignore a description beside a reference, so it is replaced.
    overrideSchema: ({ valibotSchema, jsonSchema, definitions }) =>
      valibotSchema.type === 'lazy'
        ? (definitions[jsonSchema.$ref!.replace('#/$defs/', '')] as JsonSchema)
        : undefined,
  })
  return inlined
}

/** The schemas one level below. */
export function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const { properties = {}, items = [], anyOf = [], additionalProperties } = schema
  return [...Object.values(properties), items, anyOf, additionalProperties]
    .flat()
    .filter((part): part is JsonSchema => typeof part === 'object')
}
