import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the package: this repository, or node_modules/tidegate. A build puts this code elsewhere in it. */
export const PACKAGE_ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)))

function rootAbove(folder: string): string {
  const file = join(folder, 'package.json')
  if (existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).name === 'tidegate') return folder
  const parent = dirname(folder)
  if (parent === folder) throw new Error('This program is not within the package "tidegate"')
  return rootAbove(parent)
}

/** Only the repository has the tools of its developers. */
export const IS_REPOSITORY = existsSync(join(PACKAGE_ROOT, 'tools/commands'))

export function packageVersion(): string {
  return JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')).version as string
}
