import { command } from '../../cli/command.ts'
import { LEARNERS } from '../../src/learners/registry.ts'
import { writeDocs } from '../config-docs.ts'

export default command({
  description: "Write the learners' tables of options into docs/ (repository only)",
  examples: [{ line: 'docs', text: 'after an option was changed' }],
  args: {},
  async run() {
    await writeDocs(LEARNERS)
    return { text: '', json: {} }
  },
})
