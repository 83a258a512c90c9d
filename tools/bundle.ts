import { build } from 'esbuild'

const ENTRY = new URL('../src/index.ts', import.meta.url).pathname

/** The stand-alone Worker as one module, with this configuration in it. */
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
    plugins: [
      {
        name: 'config',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /\/tidegate\.config\.ts$/ }, () => ({
            path: 'config',
            namespace: 'tidegate',
          }))
          onLoad({ filter: /.*/, namespace: 'tidegate' }, () => ({
            contents: JSON.stringify(config),
            loader: 'json',
          }))
        },
      },
    ],
  })
  return outputFiles[0]!.text
}
