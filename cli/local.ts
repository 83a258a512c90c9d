import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The gate that `tidegate dev` runs in a folder leaves its address and token there, for the other commands. */

export interface LocalAddress {
  readonly url: string
  readonly token: string
  readonly pid: number
}

const FILE = '.tidegate/dev.json'

export function writeLocal(folder: string, address: LocalAddress): void {
  const file = join(folder, FILE)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(address)}\n`, { mode: 0o600 })
}

/** Only if it is still the address of this process: another one may have started since. */
export function removeLocal(folder: string, pid: number): void {
  if (readLocal(folder)?.pid === pid) rmSync(join(folder, FILE), { force: true })
}

/** null: no gate runs in this folder. */
export function readLocal(folder: string): LocalAddress | null {
  try {
    const address = JSON.parse(readFileSync(join(folder, FILE), 'utf8')) as LocalAddress
    process.kill(address.pid, 0)
    return address
  } catch {
    return null
  }
}

/** The lines `NAME=value` of `.dev.vars`, as wrangler reads them. Empty if there is none. */
export function readDevVars(folder: string): Readonly<Record<string, string>> {
  try {
    const lines = readFileSync(join(folder, '.dev.vars'), 'utf8').split('\n')
    return Object.fromEntries(
      lines.flatMap((line) => {
        const [, name, value] = /^\s*([A-Z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
        return name === undefined ? [] : [[name, value!.replace(/^(["'])(.*)\1$/, '$2')]]
      }),
    )
  } catch {
    return {}
  }
}
