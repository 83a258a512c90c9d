import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { COMPATIBILITY } from '../../tools/local-gate.ts'
import { capnp } from './capnp.ts'
import { end, type Server, startProcess } from './process.ts'

/** The package has no types of its own: the path of the program, and its version. */
const workerd = createRequire(import.meta.url)('workerd') as { default: string; version: string }

export const WORKERD_VERSION = workerd.version

export interface WorkerOptions {
  readonly texts?: Readonly<Record<string, string>>
  readonly objects?: Readonly<Record<string, string>>
}

/** Runs one module in a workerd of its own, with storage on disk that goes when it closes. */
export async function startWorkerd(code: string, options: WorkerOptions = {}): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  const storage = join(folder, 'storage')
  mkdirSync(storage)
  writeFileSync(join(folder, 'worker.js'), code)
  writeFileSync(join(folder, 'config.capnp'), capnp({ ...COMPATIBILITY, ...options, storage }))
  const child = startProcess(workerd.default, ['serve', '--control-fd=3', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  // Connections that break off at the end of a slice are news to it, and to nobody else.
  const said = lastWords(child.stdout, child.stderr)
  const close = async (): Promise<void> => {
    await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  const port = await listeningPort(child.stdio[3] as Readable)
  if (port === null) {
    await close()
    throw new Error(`workerd did not start:\n${said()}`)
  }
  return { url: `http://127.0.0.1:${port}`, pids: [child.pid!], close }
}

const MOST_WORDS = 4000

function lastWords(...streams: readonly (Readable | null)[]): () => string {
  let words = ''
  for (const stream of streams)
    stream?.on('data', (chunk) => {
      words = `${words}${chunk}`.slice(-MOST_WORDS)
    })
  return () => words
}

/** workerd tells on its control pipe where it listens; null: it ended before it did. */
async function listeningPort(control: Readable): Promise<number | null> {
  for await (const line of createInterface(control)) {
    const message = JSON.parse(line) as { event: string; port?: number }
    if (message.event === 'listen') return message.port ?? null
  }
  return null
}
