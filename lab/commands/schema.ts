import { defineCommand } from 'citty'
import { scenarioJsonSchema } from '../scenario-file/json-schema.ts'

export const schema = defineCommand({
  meta: { name: 'schema', description: 'Print the JSON Schema of scenario files.' },
  async run() {
    console.log(JSON.stringify(await scenarioJsonSchema(), null, 2))
  },
})
