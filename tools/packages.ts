import { createRequire } from 'node:module'
import { join } from 'node:path'
import { PACKAGE_ROOT } from './package-root.ts'

/**
 * Programs that are not dependencies of the package, because an app that only uses the middleware does not need them:
 * wrangler, and esbuild and workerd, which come with it.
 */

/** The package is not installed. The message is the full text for the user. */
export class MissingPackage extends Error {
  override readonly name = 'MissingPackage'
}

/** The packages through which a package manager may have installed the others. */
const VIA = ['wrangler', 'miniflare']

export function requirePackage<Module>(name: string): Module {
  return createRequire(import.meta.url)(pathOf(name)) as Module
}

/** The file that a package's name, or a file within a package, stands for. */
export function pathOf(name: string): string {
  for (const start of [PACKAGE_ROOT, process.cwd()]) {
    const found = resolveFrom(start, name)
    if (found !== null) return found
  }
  throw new MissingPackage(
    `"${name.split('/')[0]}" is not installed. It comes with wrangler: npm install --save-dev wrangler`,
  )
}

function resolveFrom(folder: string, name: string): string | null {
  const direct = resolve(join(folder, 'package.json'), name)
  if (direct !== null) return direct
  let from = join(folder, 'package.json')
  for (const via of VIA) {
    const next = resolve(from, `${via}/package.json`)
    if (next === null) return null
    const found = resolve(next, name)
    if (found !== null) return found
    from = next
  }
  return null
}

function resolve(from: string, name: string): string | null {
  try {
    return createRequire(from).resolve(name)
  } catch {
    return null
  }
}
