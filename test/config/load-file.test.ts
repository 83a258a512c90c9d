import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { LoadError, loadConfigFile } from '../../tools/load-config.ts'
import { resolved } from '../support/config.ts'

const CONFIG = { routes: [{ match: '/*', origin: 'https://origin.example.com' }] }

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidegate-config-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function load(name: string, text: string): Promise<unknown> {
  const file = join(folder, name)
  await writeFile(file, text)
  return loadConfigFile(file)
}

async function refusal(loading: Promise<unknown>): Promise<string> {
  try {
    await loading
  } catch (error) {
    if (error instanceof LoadError) return error.message.replaceAll(folder, '')
  }
  throw new Error('It was loaded.')
}

describe('a configuration file', () => {
  it.for([
    [
      'a.ts',
      `import { defineConfig, type TidegateConfig } from 'tidegate'
      const config: TidegateConfig = ${JSON.stringify(CONFIG)}
      export default defineConfig(config)`,
    ],
    ['b.js', `export default ${JSON.stringify(CONFIG)}`],
    ['c.mjs', `const config = ${JSON.stringify(CONFIG)}; export { config as default }`],
    ['d.json', JSON.stringify(CONFIG)],
  ] as const)('%s gives the same configuration', async ([name, text], { expect }) => {
    expect(await load(name, text)).toEqual(CONFIG)
  })

  it('may import a page as text, as a Worker does', async ({ expect }) => {
    await writeFile(join(folder, 'busy.html'), '<h1>Busy</h1>')
    expect(
      await load('page.ts', `import page from './busy.html'\nexport default { page }`),
    ).toEqual({
      page: '<h1>Busy</h1>',
    })
  })

  it('has a type for the page that it imports, and passes the check', async ({ expect }) => {
    const file = fileURLToPath(new URL('./with-page/tidegate.config.ts', import.meta.url))
    const { refusal } = resolved(await loadConfigFile(file)).routes[0]!
    expect(refusal.page).toContain('<p>Back in {{retryAfter}} s.</p>')
  })

  it('may read a file in its folder', async ({ expect }) => {
    await writeFile(join(folder, 'beside.html'), '<h1>Busy</h1>')
    const text = `import { readFileSync } from 'node:fs'
      export default { page: readFileSync(new URL('./beside.html', import.meta.url), 'utf8') }`
    expect(await load('beside.ts', text)).toEqual({ page: '<h1>Busy</h1>' })
  })
})

describe('a configuration file that cannot be loaded', () => {
  it('does not exist', async ({ expect }) => {
    expect(await refusal(loadConfigFile(join(folder, 'none.ts')))).toBe(
      '/none.ts: there is no such file.',
    )
  })

  it('has another file type', async ({ expect }) => {
    expect(await refusal(loadConfigFile(join(folder, 'config.yaml')))).toBe(
      '/config.yaml: expected a file that ends in .ts, .mts, .js, .mjs or .json, got "config.yaml".',
    )
  })

  it('is not JSON', async ({ expect }) => {
    expect(await refusal(load('bad.json', '{ "routes": [ }'))).toMatch(
      /^\/bad\.json: this is not JSON: Unexpected token '}'.*\.$/,
    )
  })

  it('has a syntax error: the text has its line and column', async ({ expect }) => {
    expect(await refusal(load('bad.ts', 'export default {\n  routes: [}\n'))).toBe(
      '/bad.ts: it cannot be compiled.\n  line 2, column 12: Unexpected "}"',
    )
  })

  it('imports a missing file', async ({ expect }) => {
    expect(await refusal(load('import.ts', `import './none.ts'\nexport default {}`))).toBe(
      '/import.ts: it cannot be compiled.\n  line 1, column 8: Could not resolve "./none.ts"',
    )
  })

  it('throws', async ({ expect }) => {
    expect(await refusal(load('throws.ts', `throw new RangeError('too much')`))).toBe(
      '/throws.ts: it failed while it was run. RangeError: too much',
    )
  })

  it('has no default export', async ({ expect }) => {
    expect(await refusal(load('named.ts', 'export const config = {}'))).toBe(
      '/named.ts: expected a default export, got none. Write export default defineConfig({ routes: [ … ] }).',
    )
  })
})
