import { deepEqual } from 'node:assert'
import { join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'
import { loadStandAloneConfig } from '../src/config/load.ts'
import { buildDashboard } from './build-dashboard.ts'
import { PACKAGE_ROOT } from './package-root.ts'
import { requirePackage } from './packages.ts'

const ENTRY = join(PACKAGE_ROOT, 'src/entry/deployed-worker.ts')

/** The stand-alone Worker as one module, with this configuration in it; throws a `ConfigError` where it has faults. */
export async function bundleWorker(
  config: unknown,
  sourcemap: NonNullable<BuildOptions['sourcemap']> = false,
  entry = ENTRY,
  plugins: readonly Plugin[] = [],
): Promise<string> {
  buildDashboard()
  const { build } = requirePackage<typeof import('esbuild')>('esbuild')
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    minify: true,
    sourcemap,
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    plugins: [withConfig(config), ...plugins],
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
