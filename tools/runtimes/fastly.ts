import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { PACKAGE_ROOT } from '../package-root.ts'

/** `npm run test:fastly`: bundles the example for Fastly with the package, and compiles it to WebAssembly. */

const PROGRAM = join(
  process.env.RUNTIMES ?? join(PACKAGE_ROOT, 'build/runtimes/node_modules/.bin'),
  'js-compute-runtime',
)
const folder = join(PACKAGE_ROOT, 'build/fastly')
const script = join(folder, 'index.js')
const program = join(folder, 'main.wasm')

if (!existsSync(PROGRAM)) {
  console.error(
    'The compiler of Fastly is missing. Get it with "npm install --prefix build/runtimes @fastly/js-compute@3.46.0".',
  )
  process.exit(process.env.CI ? 1 : 0)
}
mkdirSync(folder, { recursive: true })
await build({
  entryPoints: [join(PACKAGE_ROOT, 'examples/fastly-compute/src/index.js')],
  outfile: script,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  conditions: ['fastly', 'worker', 'browser'],
  alias: { tidegate: join(PACKAGE_ROOT, 'src/index.ts') },
  external: ['fastly:*', 'cloudflare:*'],
})
execFileSync(PROGRAM, [script, program], { stdio: 'inherit' })
console.log(`${program}: ${(statSync(program).size / 1e6).toFixed(1)} MB`)
