import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { loadConfigFile } from '../../tools/load-config.ts'
import { startLocalGate } from '../../tools/local-gate.ts'
import { snippetsOf } from '../support/configuration-page.ts'
import { startOrigin } from '../support/e2e/origin.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'README.md'), 'utf8')
const [config, app] = snippetsOf(page).filter(({ kind }) => kind === 'ts')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-readme-'))
  mkdirSync(join(folder, 'node_modules'))
  for (const name of ['hono', '@cloudflare'])
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  writeFileSync(join(folder, 'tidegate.config.ts'), config!.text)
  writeFileSync(join(folder, 'app.ts'), app!.text)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('README.md', () => {
  it('has the two commands', ({ expect }) => {
    expect(page).toContain('npm ci && npm start')
    expect(page).toContain('npm ci && npm test')
  })

  it('says how to try it with a site of your own, and why npm warns about engines', ({
    expect,
  }) => {
    for (const words of ['npm start -- --origin ', 'npm start -- --config ', ' --paths '])
      expect(page).toContain(words)
    expect(page).toContain('EBADENGINE')
  })

  it('shows code that compiles', async ({ expect }) => {
    const compilerOptions = {
      ...{ target: 'es2024', lib: ['es2024'], module: 'esnext', moduleResolution: 'bundler' },
      ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
      types: ['@cloudflare/workers-types/index.d.ts'],
      paths: {
        tidegate: [join(root, 'src/index.ts')],
        'tidegate/durable-objects': [join(root, 'durable-objects/index.ts')],
      },
    }
    const files = ['tidegate.config.ts', 'app.ts']
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const tsc = join(root, 'node_modules/.bin/tsc')
    const output = await promisify(execFile)(tsc, ['-p', folder]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    )
    expect(output).toBe('')
  })

  it('shows a configuration that runs', async ({ expect }) => {
    const origin = await startOrigin((_request, response) => response.end('from the origin'))
    const written = JSON.stringify(await loadConfigFile(join(folder, 'tidegate.config.ts')))
    const gate = await startLocalGate({
      config: JSON.parse(
        written
          .replace('https://origin.example.com', origin.url)
          .replace('shop.example.com', '127.0.0.1'),
      ),
      port: 0,
    })
    try {
      const response = await fetch(`${gate.url}/checkout/pay`)
      expect(await response.text()).toBe('from the origin')
    } finally {
      await gate.close()
      await origin.close()
    }
  })
})
