import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nearest } from '../src/config/errors/wording.ts'
import type { CliCommand } from './command.ts'

/** The commands are files: those of the package, and in the repository the tools of its developers. */
const FOLDERS = ['./commands/', '../tools/commands/'].map(
  (folder) => new URL(folder, import.meta.url),
)

export interface Commands {
  readonly names: readonly string[]
  load(name: string): Promise<CliCommand>
}

export function findCommands(): Commands {
  const files = new Map(
    FOLDERS.filter((folder) => existsSync(fileURLToPath(folder))).flatMap((folder) =>
      readdirSync(fileURLToPath(folder))
        .filter((file) => /^[a-z-]+\.[jt]s$/.test(file))
        .map((file) => [file.replace(/\.[jt]s$/, ''), new URL(file, folder)] as const),
    ),
  )
  return {
    names: [...files.keys()],
    async load(name) {
      const { default: found } = (await import(files.get(name)!.href)) as { default: CliCommand }
      return found
    },
  }
}

export function unknownCommand(name: string, names: readonly string[]): string {
  const meant = nearest(name, names)
  const remedy = meant === null ? '"tidegate --help" lists them.' : `Did you mean "${meant}"?`
  return `tidegate ${name}: there is no such command. ${remedy}`
}
