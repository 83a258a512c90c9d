import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { end, startProcess } from '../child.ts'
import { PACKAGE_ROOT } from '../package-root.ts'
import { requirePackage } from '../packages.ts'
import { capnp, type WorkerSetup } from './capnp.ts'

/** The package has no types: the path of the program, and its version. */
const workerd = () => requirePackage<{ default: string; version: string }>('workerd')

export const workerdVersion = (): string => workerd().version

/** A Worker with its bindings. */
export interface WorkerCode
  extends Pick<WorkerSetup, 'name'>,
    Partial<Pick<WorkerSetup, 'port' | 'texts' | 'objects' | 'objectsOf' | 'cfHeader'>> {
  /** The source of its module. */
  readonly code: string
}

interface WorkerdOptions {
  /** Folder for the storage of Durable Objects; absent: a temporary one. */
  readonly storage?: string
  readonly v8Flags?: readonly string[]
}

/** A running workerd process. */
interface Workerd {
  readonly pid: number
  readonly stdout: Readable
  readonly stderr: Readable
  /** Settles when it has ended for any reason. */
  readonly ended: Promise<void>
  urlOf(worker: string): string
  close(): Promise<void>
}

/** Runs modules side by side in one workerd, each in its own isolate at its own port. */
export async function startWorkerd(
  workers: readonly WorkerCode[],
  { storage, v8Flags = [] }: WorkerdOptions = {},
): Promise<Workerd> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-workerd-'))
  const setups = workers.map(({ code, port = 0, texts = {}, objects = {}, ...given }) => {
    const file = `${given.name}.js`
    writeFileSync(join(folder, file), code)
    return { ...given, file, port, texts, objects }
  })
  const cacheFile = 'cache.js'
  writeFileSync(join(folder, cacheFile), await cacheCode())
  const stored = storage ?? join(folder, 'storage')
  mkdirSync(stored, { recursive: true })
  const config = capnp({ workers: setups, cacheFile, storage: stored, v8Flags })
  writeFileSync(join(folder, 'config.capnp'), config)
  const child = startProcess(workerd().default, ['serve', '--control-fd=3', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  // Nothing is lost: Durable Objects write to disk before they answer.
  const close = async (): Promise<void> => {
    await end(child, 'SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  const said = firstWords(child.stdout!, child.stderr!)
  const ports = await listeningPorts(child.stdio[3] as Readable, workers.length)
  if (ports === null) {
    await ended
    await close()
    throw new Error(`workerd did not start:\n${said()}`)
  }
  const urlOf = (worker: string): string => `http://127.0.0.1:${ports.get(worker)}`
  return { pid: child.pid!, stdout: child.stdout!, stderr: child.stderr!, ended, urlOf, close }
}

const CACHE_WORKER = join(PACKAGE_ROOT, 'tools/workerd/cache-worker.ts')

async function cacheCode(): Promise<string> {
  const { build } = requirePackage<typeof import('esbuild')>('esbuild')
  const { outputFiles } = await build({ entryPoints: [CACHE_WORKER], write: false, format: 'esm' })
  return outputFiles[0]!.text
}

const MOST_WORDS = 4000

/** The output before it serves, or if it fails to start. */
function firstWords(...streams: readonly Readable[]): () => string {
  let words = ''
  for (const stream of streams)
    stream.setEncoding('utf8').on('data', (piece: string) => {
      if (words.length < MOST_WORDS) words += piece
    })
  return () => words
}

/** workerd reports the port of each socket on its control pipe; null: it ended before that. */
async function listeningPorts(
  control: Readable,
  count: number,
): Promise<ReadonlyMap<string, number> | null> {
  const ports = new Map<string, number>()
  for await (const line of createInterface(control)) {
    const { event, socket, port } = JSON.parse(line) as Listening
    if (event !== 'listen') continue
    ports.set(socket, port)
    if (ports.size === count) return ports
  }
  return null
}

interface Listening {
  readonly event: string
  /** The socket's name in the configuration. */
  readonly socket: string
  readonly port: number
}
