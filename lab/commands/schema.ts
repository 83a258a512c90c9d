import { defineCommand } from 'citty'
import { strict } from '../../tools/known-options.ts'
import { keyTables, scenarioJsonSchema } from '../scenario-file/docs.ts'

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
    run({ args }) {
      console.log(args.docs ? keyTables() : JSON.stringify(scenarioJsonSchema(), null, 2))
    },
  }),
)
