import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LEARNER_OPTIONS } from '../../src/learners/option-tables.ts'
import { IS_REPOSITORY, PACKAGE_ROOT } from '../../tools/package-root.ts'
import { command } from '../command.ts'

/** The build writes it, because what makes it is not a dependency of the package. */
const BUILT = join(PACKAGE_ROOT, 'dist/tidegate.schema.json')

export default command({
  description: 'Print the JSON Schema of the configuration',
  examples: [{ line: 'schema > tidegate.schema.json', text: 'for the editor of a JSON file' }],
  args: {},
  async run() {
    const json = IS_REPOSITORY ? await madeSchema() : JSON.parse(readFileSync(BUILT, 'utf8'))
    return { json, text: JSON.stringify(json, null, 2) }
  },
})

async function madeSchema(): Promise<unknown> {
  const file = join(PACKAGE_ROOT, 'tools/config-schema.ts')
  const { configJsonSchema } = (await import(file)) as typeof import('../../tools/config-schema.ts')
  return configJsonSchema(LEARNER_OPTIONS)
}
