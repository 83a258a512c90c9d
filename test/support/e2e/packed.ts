import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

let folder: string | null = null

/** A folder with the packed and extracted package in `package/`, made once for all tests of this process. */
export function packedFolder(): string {
  if (folder !== null) return folder
  folder = mkdtempSync(join(tmpdir(), 'tidegate-package-'))
  process.once('exit', () => rmSync(folder!, { recursive: true, force: true }))
  // `npm pack` builds the package first.
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' })
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  execFileSync('tar', ['-xzf', tarball!], { cwd: folder })
  return folder
}

/** A folder as it is after `npm install` of the package, without the network. `others`: name in node_modules → here. */
export function installed(name: string, others: Readonly<Record<string, string>>): string {
  const home = join(packedFolder(), name)
  if (existsSync(home)) return home
  const modules = join(home, 'node_modules')
  mkdirSync(join(modules, '.bin'), { recursive: true })
  cpSync(join(packedFolder(), 'package'), join(modules, 'tidegate'), { recursive: true })
  symlinkSync('../tidegate/dist/cli/main.js', join(modules, '.bin/tidegate'))
  for (const [as, from] of Object.entries({ ...DEPENDENCIES, ...others })) {
    mkdirSync(dirname(join(modules, as)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', from), join(modules, as))
  }
  return home
}

const DEPENDENCIES = { valibot: 'valibot', '@noble/hashes': '@noble/hashes', citty: 'citty' }
