import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { ConfigError } from '../src/config/problem.ts'
import { bundleWorker } from './bundle.ts'
import { LoadError, loadConfigFile } from './load-config.ts'

/** `npm run build:worker`, which wrangler calls: the Worker with its configuration, checked, in dist/worker.js. */

const root = fileURLToPath(new URL('..', import.meta.url))
const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`

try {
  const worker = await bundleWorker(await loadConfigFile(`${root}tidegate.config.ts`))
  mkdirSync(`${root}dist`, { recursive: true })
  writeFileSync(`${root}dist/worker.js`, worker)
  console.log(
    `dist/worker.js: ${kilobytes(Buffer.byteLength(worker))}, ${kilobytes(gzipSync(worker).length)} gzipped`,
  )
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof LoadError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
