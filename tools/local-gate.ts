import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { OBJECTS } from './as-deployed.ts'
import { bundleWorker } from './bundle.ts'
import { startWorkerd } from './workerd/run.ts'

interface LocalGateOptions {
  /** In the user's form. */
  readonly config: unknown
  /** 0: any free port. */
  readonly port: number
  /** Folder for state across restarts; absent: nothing is stored. */
  readonly persist?: string
  readonly secrets?: Readonly<Record<string, string>>
  /** The entry module. @default the one that is deployed */
  readonly entry?: string
  readonly v8Flags?: readonly string[]
  /** Gets the lines of the Worker's log. @default `console.log` */
  readonly log?: (line: string) => void
  /** Gets the lines that workerd writes about errors. @default `console.error` */
  readonly errors?: (line: string) => void
}

export interface LocalGate {
  readonly url: string
  /** The process of workerd. */
  readonly pid: number
  readonly adminToken: string
  readonly secrets: Readonly<Record<string, string>>
  /** Settles when workerd has ended for any reason. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** Runs the deployed Worker in workerd on this machine. */
export async function startLocalGate(options: LocalGateOptions): Promise<LocalGate> {
  const secrets = options.secrets ?? {
    TIDEGATE_SECRET: randomBytes(32).toString('hex'),
    TIDEGATE_ADMIN_TOKEN: randomBytes(16).toString('hex'),
  }
  const code = await bundleWorker(options.config, false, options.entry)
  const worker = { name: NAME, code, port: options.port, texts: secrets, objects: OBJECTS }
  const { persist, v8Flags = [] } = options
  const storage = persist === undefined ? {} : { storage: join(persist, 'do') }
  const { pid, urlOf, ended, close, stdout, stderr } = await startWorkerd([worker], {
    ...storage,
    v8Flags,
  })
  const { log = (line) => console.log(line), errors = (line) => console.error(line) } = options
  createInterface(stdout).on('line', log)
  createInterface(stderr).on('line', errors)
  return { url: urlOf(NAME), pid, adminToken: secrets.TIDEGATE_ADMIN_TOKEN!, secrets, ended, close }
}

const NAME = 'tidegate'
