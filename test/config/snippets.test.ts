import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { ConfigError } from '../../src/config/errors/problem.ts'
import { loadConfig } from '../../src/config/load.ts'
import { LEARNER_OPTIONS } from '../../src/learners/registry.ts'
import { loadConfigFile } from '../../tools/load-config.ts'
import { PAGE, type Snippet, snippetsOf } from '../support/configuration-page.ts'
import { configFileOf } from '../support/snippet-file.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const snippets = snippetsOf(PAGE)
const good = snippets.filter(({ kind }) => kind === 'ts' || kind === 'json')
const wrong = snippets.findIndex(({ kind }) => kind === 'ts wrong')

const nameOf = ({ line, kind }: Snippet): string => `line-${line}.${kind.split(' ')[0]}`
const files = [...good, snippets[wrong]!]

/** All in one bundle, because each bundle contains the whole package. */
const INDEX = files.map((file) => `import line${file.line} from './${nameOf(file)}'`)
const LINES = `export default { ${files.map(({ line }) => `line${line}`).join(', ')} }`

let folder: string
let configs: Readonly<Record<string, unknown>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidegate-docs-'))
  for (const snippet of files) await writeFile(join(folder, nameOf(snippet)), configFileOf(snippet))
  await writeFile(join(folder, 'index.ts'), [...INDEX, LINES].join('\n'))
  configs = (await loadConfigFile(join(folder, 'index.ts'))) as typeof configs
})
afterAll(() => rm(folder, { recursive: true }))

const resolve = (input: unknown) =>
  loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS })

describe('the snippets of docs/configuration.md', () => {
  it('are found', ({ expect }) => {
    expect(good.length).toBeGreaterThan(12)
    expect(wrong).toBeGreaterThan(0)
  })

  it.for(good)('is a good configuration: line $line', ({ line }, { expect }) => {
    expect(resolve(configs[`line${line}`]).routes.length).toBeGreaterThan(0)
  })

  it('have the types that the editor sees', async ({ expect }) => {
    const source = (file: string) => JSON.stringify(join(root, 'src/config', file))
    await writeFile(
      join(folder, 'tidegate.ts'),
      `export { defineConfig, type TidegateConfig } from ${source('user-config.ts')}`,
    )
    const compilerOptions = {
      ...{ target: 'es2024', lib: ['es2024'], module: 'esnext', moduleResolution: 'bundler' },
      ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] },
      ...{ allowImportingTsExtensions: true, paths: { tidegate: ['./tidegate.ts'] } },
    }
    const typed = good.filter(({ kind }) => kind === 'ts').map(nameOf)
    await writeFile(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: typed }),
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const run = promisify(execFile)(process.execPath, [tsc, '-p', folder])
    const output = await run.then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
    expect(output).toBe('')
  })

  it('show the real text of an error', ({ expect }) => {
    const { kind, text } = snippets[wrong + 1]!
    expect(kind).toBe('text')
    expect(refusal(configs[`line${snippets[wrong]!.line}`])).toBe(text.trimEnd())
  })
})

function refusal(input: unknown): string {
  try {
    resolve(input)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
  }
  throw new Error('It was accepted.')
}
