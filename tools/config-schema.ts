import type { JsonSchema } from '@valibot/to-json-schema'
import { proxySchema } from '../src/config/schema/schema.ts'
import type { Option, OptionTable } from '../src/lib/option-table.ts'
import { jsonSchemaOf } from './json-schema.ts'

/** The JSON Schema of the configuration, with the options of these learners. */
export function configJsonSchema(learners: Readonly<Record<string, OptionTable>>): JsonSchema {
  const schema = jsonSchemaOf(proxySchema)
  const route = (schema.properties!.routes as JsonSchema).items as JsonSchema
  Object.assign(route.properties!.learner as JsonSchema, { anyOf: learnerForms(learners) })
  return schema
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
