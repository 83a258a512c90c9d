import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { bundleWorker } from './bundle.ts'
import { loadConfigFile } from './load-config.ts'

/** `npm run build`: the package that others import (dist/src, dist/durable-objects), and the Worker in one file. */

const root = fileURLToPath(new URL('..', import.meta.url))
const tsc = `${root}node_modules/.bin/tsc`

rmSync(`${root}dist`, { recursive: true, force: true })
execFileSync(tsc, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
const worker = await bundleWorker(await loadConfigFile(`${root}tidegate.config.ts`))
mkdirSync(`${root}dist`, { recursive: true })
writeFileSync(`${root}dist/worker.js`, worker)
const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`
console.log(
  `dist/worker.js: ${kilobytes(Buffer.byteLength(worker))}, ${kilobytes(gzipSync(worker).length)} gzipped`,
)
