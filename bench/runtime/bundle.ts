import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The same settings as for the deployed Worker. */
const AS_DEPLOYED = {
  absWorkingDir: ROOT,
  bundle: true,
  write: false,
  format: 'esm',
  target: 'es2024',
  minify: true,
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*'],
  // The Workers of the benchmark import the package by its public name.
  alias: {
    tidegate: `${ROOT}src/index.ts`,
    'tidegate/durable-objects': `${ROOT}durable-objects/index.ts`,
  },
} as const satisfies BuildOptions

export interface Bundle {
  readonly code: string
  readonly metafile: Metafile
}

/** Bundles `entry`, a path from the root of the project, and replaces the constants by their values. */
export async function bundle(
  entry: string,
  constants: Readonly<Record<string, unknown>> = {},
  plugins: BuildOptions['plugins'] = [],
): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    ...AS_DEPLOYED,
    entryPoints: [entry],
    define: Object.fromEntries(
      Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
    plugins,
    metafile: true,
  })
  return { code: outputFiles[0]!.text, metafile }
}
