import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { LEARNER_OPTIONS } from '../src/learners/option-tables.ts'
import { buildDashboard } from './build-dashboard.ts'
import { configJsonSchema } from './config-schema.ts'

/** `npm run build`: what others import, dist/src, dist/durable-objects and dist/node, and the command line, dist/cli. */

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = `${root}node_modules/.bin/tsc`

buildDashboard()
rmSync(`${root}dist`, { recursive: true, force: true })
execFileSync(tsc, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })

// On Node there is no `cloudflare:workers`.
await build({
  entryPoints: [`${root}node/index.ts`],
  outfile: `${root}dist/node/index.js`,
  allowOverwrite: true,
  alias: { 'cloudflare:workers': `${root}node/workers.ts` },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  packages: 'external',
  sourcemap: true,
  logLevel: 'warning',
})

// Node does not strip types inside node_modules, so the command line is compiled. Each command stays a file of its own.
await build({
  entryPoints: [
    `${root}cli/main.ts`,
    ...readdirSync(`${root}cli/commands`).map((file) => `${root}cli/commands/${file}`),
  ],
  outdir: `${root}dist/cli`,
  bundle: true,
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node22',
  packages: 'external',
  logLevel: 'warning',
})
chmodSync(`${root}dist/cli/main.js`, 0o755)

const schema = JSON.stringify(configJsonSchema(LEARNER_OPTIONS), null, 2)
writeFileSync(`${root}dist/tidegate.schema.json`, `${schema}\n`)
