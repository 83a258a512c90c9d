import { deepStrictEqual } from 'node:assert/strict'
import { build, type Plugin } from 'esbuild'
import { loadConfig } from '../src/config/resolve.ts'
import { LEARNER_OPTIONS } from '../src/control/learners/tables.ts'

const ENTRY = new URL('../src/index.ts', import.meta.url).pathname

/** The stand-alone Worker as one module, with this configuration in it; throws a `ConfigError` where that has faults. */
export async function bundleWorker(config: unknown): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    minify: true,
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    plugins: [withConfig(config)],
  })
  return outputFiles[0]!.text
}

/** Puts the checked configuration in the place of src/checked-config.ts, which would check it at each start. */
export function withConfig(input: unknown): Plugin {
  const config = loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS })
  const contents = JSON.stringify(config)
  deepStrictEqual(JSON.parse(contents), config, 'A checked configuration must be plain JSON')
  return {
    name: 'checked-config',
    setup({ onLoad }) {
      onLoad({ filter: /\/src\/checked-config\.ts$/ }, () => ({ contents, loader: 'json' }))
    },
  }
}
