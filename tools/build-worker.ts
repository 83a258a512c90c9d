import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ConfigError } from '../src/config/errors/problem.ts'
import { bundleWorker } from './bundle.ts'
import { LoadError, loadConfigFile } from './load-config.ts'

/** `npm run build:worker`, which wrangler calls: the Worker with its configuration, checked, in build/worker.js. */

const root = fileURLToPath(new URL('..', import.meta.url))
const config = `${root}tidegate.config.ts`
const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`

try {
  const input = await loadConfigFile(config)
  const worker = await bundleWorker(input)
  mkdirSync(`${root}build`, { recursive: true })
  // With its source map: wrangler bundles once more, and stacks are to lead back to src.
  writeFileSync(`${root}build/worker.js`, await bundleWorker(input, 'inline'))
  console.log(
    `build/worker.js: ${kilobytes(Buffer.byteLength(worker))}, ${kilobytes(gzipSync(worker).length)} gzipped, without its source map`,
  )
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof LoadError)) throw error
  console.error(error instanceof ConfigError ? `${config}:\n${error.message}` : error.message)
  process.exitCode = 1
}
