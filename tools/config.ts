import { relative, resolve } from 'node:path'
import { defineCommand, runMain } from 'citty'
import { REACHABILITY } from '../src/config/contradictions/reachability.ts'
import { problemsText } from '../src/config/errors/problem.ts'
import { resolveConfig } from '../src/config/load.ts'
import { LEARNER_OPTIONS, LEARNERS } from '../src/learners/registry.ts'
import { writeDocs } from './config-docs.ts'
import { configJsonSchema } from './config-schema.ts'
import { summary } from './config-summary.ts'
import { strict, strictGroup } from './known-options.ts'
import { LoadError, loadConfigFile } from './load-config.ts'

const check = strict(
  defineCommand({
    meta: {
      name: 'check',
      description: 'Check a configuration file: prints "ok" and its routes, or all its problems.',
    },
    args: {
      file: {
        type: 'positional',
        description: 'Configuration file, .ts, .js, .mjs or .json',
        valueHint: 'FILE',
        default: 'tidegate.config.ts',
      },
      middleware: {
        type: 'boolean',
        description: 'For the middleware: routes need no origin',
        default: false,
      },
      'for-deployment': {
        type: 'boolean',
        description: 'Report origins that only this machine or its network can reach',
        default: false,
      },
    },
    async run({ args }) {
      const file = resolve(args.file)
      const shown = relative('', file) || file
      try {
        const resolution = resolveConfig(await loadConfigFile(file), {
          origin: args.middleware ? 'optional' : 'required',
          learners: LEARNER_OPTIONS,
          ...(args['for-deployment'] && { alsoCheck: [REACHABILITY] }),
        })
        if (resolution.ok) console.log(`${shown}: ok\n\n${summary(resolution.config)}`)
        else fail(`${shown}: ${problemsText(resolution.problems)}`)
      } catch (error) {
        if (!(error instanceof LoadError)) throw error
        fail(error.message)
      }
    },
  }),
)

const schema = strict(
  defineCommand({
    meta: { name: 'schema', description: 'Print the JSON Schema of the configuration.' },
    run() {
      console.log(JSON.stringify(configJsonSchema(LEARNER_OPTIONS), null, 2))
    },
  }),
)

const docs = strict(
  defineCommand({
    meta: {
      name: 'docs',
      description: "Write the learners' tables of options into docs/.",
    },
    run: () => writeDocs(LEARNERS),
  }),
)

function fail(text: string): void {
  console.error(text)
  process.exitCode = 1
}

await runMain(
  strictGroup({
    meta: { name: 'npm run config --', description: "Check Tidegate's configuration." },
    subCommands: { check, schema, docs },
  }),
)
