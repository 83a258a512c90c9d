import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { findCommands } from '../../cli/commands.ts'
import { loadConfig } from '../../src/config/load.ts'
import { configWarnings } from '../../src/config/warnings/warnings.ts'
import { LEARNER_OPTIONS } from '../../src/learners/option-tables.ts'
import { strayWords } from '../../tools/known-options.ts'
import { loadConfigFile } from '../../tools/load-config.ts'
import { snippetsOf } from '../support/configuration-page.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGES = ['start', 'concepts', 'recipes', 'running', 'migration', 'cli', 'cost']
const read = (page: string): string => readFileSync(join(ROOT, 'docs', page), 'utf8')
const snippets = PAGES.flatMap((page) =>
  snippetsOf(read(`${page}.md`)).map((snippet) => ({ ...snippet, page })),
)
const configs = snippets.filter(({ kind }) => kind === 'ts')

/** Command lines in snippets, and in the text between back quotes. */
const commandLines = PAGES.flatMap((page) =>
  [...read(`${page}.md`).matchAll(/(?:^|`)npx tidegate ([a-z][^`\n]*)/gm)].map(([, line]) => ({
    page,
    line: line!,
  })),
)

describe('docs/README.md', () => {
  it('links to every page', ({ expect }) => {
    const index = read('README.md')
    const missing = readdirSync(join(ROOT, 'docs')).filter(
      (name) => name.endsWith('.md') && name !== 'README.md' && !index.includes(`](${name}`),
    )
    expect(missing).toEqual([])
  })
})

describe('the configurations of the pages', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidegate-site-'))
    for (const [i, { text }] of configs.entries())
      writeFileSync(join(folder, `config-${i}.ts`), text)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('are at least eight', ({ expect }) => {
    expect(configs.length).toBeGreaterThanOrEqual(8)
  })

  it.for(configs.map((snippet, i) => ({ ...snippet, i })))(
    '$page, line $line, is accepted without a warning',
    async ({ i }, { expect }) => {
      const input = await loadConfigFile(join(folder, `config-${i}.ts`))
      const config = loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS })
      expect(configWarnings(config)).toEqual([])
    },
  )

  it('have the types that the editor sees', async ({ expect }) => {
    const compilerOptions = {
      ...{ target: 'es2024', lib: ['es2024'], module: 'esnext', moduleResolution: 'bundler' },
      ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, types: [] },
      allowImportingTsExtensions: true,
      paths: { tidegate: [join(ROOT, 'src/config/user-config.ts')] },
    }
    const files = configs.map((_, i) => `config-${i}.ts`)
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const tsc = join(ROOT, 'node_modules/.bin/tsc')
    const output = await promisify(execFile)(tsc, ['-p', folder]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
    expect(output).toBe('')
  })
})

describe('the command lines of the pages', () => {
  const commands = findCommands()

  it('are found', ({ expect }) => {
    expect(commandLines.length).toBeGreaterThan(20)
  })

  it.for(commandLines)('$page: npx tidegate $line', async ({ line }, { expect }) => {
    const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
    const [name, ...rest] = words
    expect(commands.names).toContain(name)
    const { args } = await commands.load(name!)
    expect(strayWords(rest, args, true)).toEqual([])
  })
})

describe('docs/cli.md', () => {
  it('has every command of the package', ({ expect }) => {
    const page = read('cli.md')
    const files = readdirSync(join(ROOT, 'cli/commands')).map((file) => file.replace('.ts', ''))
    expect(files.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
  })
})
