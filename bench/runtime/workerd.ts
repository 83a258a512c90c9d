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

export interface WorkerCode extends WorkerOptions {
  readonly code: string
}

/** Runs one module in a workerd of its own. */
export async function startWorkerd(code: string, options: WorkerOptions = {}): Promise<Server> {
  const [server] = await startWorkers([{ code, ...options }])
  return server!
}

/**
 * Runs modules side by side in one workerd, each in an isolate of its own at its own port, with storage on disk that
 * goes when they close.
 */
export async function startWorkers(workers: readonly WorkerCode[]): Promise<readonly Server[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-bench-'))
  mkdirSync(join(folder, 'storage'))
  const setups = workers.map(({ code, ...options }, number) => {
    const file = `worker${number}.js`
    writeFileSync(join(folder, file), code)
    return { ...COMPATIBILITY, ...options, file }
  })
  writeFileSync(join(folder, 'config.capnp'), capnp(setups))
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
  const ports = await listeningPorts(child.stdio[3] as Readable, workers.length)
  if (ports === null) {
    await close()
    throw new Error(`workerd did not start:\n${said()}`)
  }
  return ports.map((port) => ({ url: `http://127.0.0.1:${port}`, pids: [child.pid!], close }))
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

/** workerd tells on its control pipe where it listens, by socket; null: it ended before it did. */
async function listeningPorts(control: Readable, count: number): Promise<number[] | null> {
  const ports: number[] = []
  let heard = 0
  for await (const line of createInterface(control)) {
    const { event, socket, port } = JSON.parse(line) as Listening
    if (event !== 'listen') continue
    ports[Number(socket)] = port
    if (++heard === count) return ports
  }
  return null
}

interface Listening {
  readonly event: string
  /** The number that its configuration gives it. */
  readonly socket: string
  readonly port: number
}
