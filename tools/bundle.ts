import { deepEqual } from 'node:assert'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { loadStandAloneConfig } from '../src/config/load.ts'

const ENTRY = new URL('../src/entry/deployed-worker.ts', import.meta.url).pathname

/** The stand-alone Worker as one module, with this configuration in it; throws a `ConfigError` where it has faults. */
export async function bundleWorker(
  config: unknown,
  sourcemap: NonNullable<BuildOptions['sourcemap']> = false,
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    minify: true,
    sourcemap,
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    plugins: [withConfig(config)],
  })
  return outputFiles[0]!.text
}

/** Puts the checked configuration in the place of src/entry/deployed-config.ts, which would check it at each start. */
export function withConfig(input: unknown): Plugin {
  const config = loadStandAloneConfig(input)
  const contents = JSON.stringify(config)
  deepEqual(JSON.parse(contents), config, 'A checked configuration must be plain JSON')
  return {
    name: 'deployed-config',
    setup({ onLoad, onEnd }) {
      let isThere = false
      onLoad({ filter: /[\\/]src[\\/]entry[\\/]deployed-config\.ts$/ }, () => {
        isThere = true
        return { contents, loader: 'json' }
      })
      onEnd(() => {
        if (!isThere) throw new Error('The entry does not import src/entry/deployed-config.ts')
      })
    },
  }
}
