import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { keyTables } from '../scenario-file/docs.ts'
import { scenarioJsonSchema } from '../scenario-file/json-schema.ts'

export const schema = strict(
  defineCommand({
    meta: { name: 'schema', description: 'Print the JSON Schema of scenario files.' },
    args: {
      docs: {
        type: 'boolean',
        description: 'Print the tables of docs/lab.md instead',
        default: false,
      },
    },
    async run({ args }) {
      console.log(
        args.docs ? await keyTables() : JSON.stringify(await scenarioJsonSchema(), null, 2),
      )
    },
  }),
)
