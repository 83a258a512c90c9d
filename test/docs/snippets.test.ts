import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { LEARNER_OPTIONS } from '../../src/learners/option-tables.ts'
import { loadConfigFile } from '../../tools/load-config.ts'
import { snippetsOf } from '../support/configuration-page.ts'
import { codeFileOf, configFileOf, isConfig } from '../support/snippet-file.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Other tests have these: test/config/snippets.test.ts and site.test.ts. */
const ELSEWHERE = [
  'configuration',
  'start',
  'concepts',
  'recipes',
  'running',
  'migration',
  'cli',
  'cost',
]
const PAGES = readdirSync(join(ROOT, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.replace('.md', ''))
  .filter((page) => !ELSEWHERE.includes(page))

const snippets = PAGES.flatMap((page) =>
  snippetsOf(readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8'))
    .filter(({ kind }) => kind === 'ts')
    .map((snippet) => ({ ...snippet, page, file: `${page}-${snippet.line}` })),
)
const configs = snippets.filter(isConfig)

const COMPILER = {
  ...{ target: 'es2024', lib: ['es2024'], module: 'esnext', moduleResolution: 'bundler' },
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true },
  allowImportingTsExtensions: true,
  types: ['@cloudflare/workers-types/index.d.ts'],
  paths: {
    tidegate: [join(ROOT, 'src/index.ts')],
    'tidegate/client': [join(ROOT, 'src/client/client.ts')],
    'tidegate/durable-objects': [join(ROOT, 'durable-objects/index.ts')],
  },
}

let folder: string
let loaded: Readonly<Record<string, unknown>>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-snippets-'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['hono', '@cloudflare'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  for (const snippet of snippets) {
    const text = isConfig(snippet) ? configFileOf(snippet) : codeFileOf(snippet)
    writeFileSync(join(folder, `${snippet.file}.ts`), text)
  }
  // All in one bundle, because each bundle contains the whole package.
  const lines = configs.map(({ file }, i) => `import c${i} from './${file}.ts'`)
  const all = configs.map(({ file }, i) => `'${file}': c${i}`).join(', ')
  writeFileSync(join(folder, 'index.ts'), `${lines.join('\n')}\nexport default { ${all} }`)
  loaded = (await loadConfigFile(join(folder, 'index.ts'))) as typeof loaded
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the code on the pages', () => {
  it('is found', ({ expect }) => {
    const pages = new Set(snippets.map(({ page }) => page))
    for (const page of ['waiting-room', 'degrade', 'middleware', 'passes', 'policing', 'pools'])
      expect(pages).toContain(page)
    expect(configs.length).toBeGreaterThanOrEqual(9)
    expect(snippets.length - configs.length).toBeGreaterThanOrEqual(6)
  })

  it.for(configs)('$page, line $line, is a good configuration', ({ file }, { expect }) => {
    const config = loadConfig(loaded[file], { origin: 'required', learners: LEARNER_OPTIONS })
    expect(config.routes.length).toBeGreaterThan(0)
  })

  it('compiles', async ({ expect }) => {
    const files = snippets.map(({ file }) => `${file}.ts`)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: COMPILER, files }),
    )
    const tsc = join(ROOT, 'node_modules/.bin/tsc')
    const output = await promisify(execFile)(tsc, ['-p', folder]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
    expect(output).toBe('')
  })
})
