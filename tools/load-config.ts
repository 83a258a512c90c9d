import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BuildFailure } from 'esbuild'
import { PACKAGE_ROOT } from './package-root.ts'
import { requirePackage } from './packages.ts'

/** A configuration file that could not be read. The message is the full text for the user. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
}

const MODULES = ['.ts', '.mts', '.js', '.mjs']
const PACKAGE = join(PACKAGE_ROOT, 'src/index.ts')

/** The unchecked content of a configuration file: its default export, or its JSON. */
export async function loadConfigFile(file: string): Promise<unknown> {
  const extension = extname(file)
  if (extension !== '.json' && !MODULES.includes(extension))
    throw new LoadError(
      `${file}: expected a file that ends in ${MODULES.join(', ')} or .json, got "${basename(file)}".`,
    )
  const text = await readText(file)
  return extension === '.json' ? parseJson(file, text) : await defaultExport(file)
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${code})`
    throw new LoadError(`${file}: ${why}.`, { cause: error })
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new LoadError(`${file}: this is not JSON: ${(error as Error).message}.`, { cause: error })
  }
}

async function defaultExport(file: string): Promise<unknown> {
  const code = await bundle(file)
  const module = await run(file, code)
  if ('default' in module) return module.default
  throw new LoadError(
    `${file}: expected a default export, got none. Write export default defineConfig({ routes: [ … ] }).`,
  )
}

/** Bundled as for a Worker: with the types stripped, and pages imported as text. */
async function bundle(file: string): Promise<string> {
  const { build } = requirePackage<typeof import('esbuild')>('esbuild')
  try {
    const { outputFiles } = await build({
      entryPoints: [file],
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'silent',
      alias: { tidegate: PACKAGE },
      // In a fresh clone the dashboard's page is not built yet, and no configuration needs it.
      external: ['*/dashboard-page.generated.ts'],
      loader: { '.html': 'text', '.txt': 'text' },
      define: { 'import.meta.url': JSON.stringify(pathToFileURL(file).href) },
    })
    return outputFiles[0]!.text
  } catch (error) {
    throw new LoadError(`${file}: it cannot be compiled.\n${placesOf(error as BuildFailure)}`, {
      cause: error,
    })
  }
}

function placesOf({ errors = [], message }: BuildFailure): string {
  if (errors.length === 0) return `  ${message}`
  return errors
    .map(({ text, location }) =>
      location ? `  line ${location.line}, column ${location.column + 1}: ${text}` : `  ${text}`,
    )
    .join('\n')
}

async function run(file: string, code: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
  } catch (error) {
    const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
    throw new LoadError(`${file}: it failed while it was run. ${what}`, { cause: error })
  }
}
