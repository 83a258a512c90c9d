import { readFileSync } from 'node:fs'
import { describe, it } from 'vitest'

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly scripts: Readonly<Record<string, string>>
  readonly publishConfig: { readonly provenance: boolean }
  readonly files: readonly string[]
}

interface Lock {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly resolved?: string
        readonly integrity?: string
        readonly link?: boolean
        readonly dependencies?: object
        readonly optionalDependencies?: object
      }
    >
  >
}

const read = <Value>(file: string): Value =>
  JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')) as Value
const manifest = read<Manifest>('package.json')
const lock = read<Lock>('package-lock.json')

describe('the supply chain of the package', () => {
  it('has three dependencies: two at the edge, and one for the command line', ({ expect }) => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual(['@noble/hashes', 'citty', 'valibot'])
    expect(Object.keys(manifest.peerDependencies)).toEqual(['hono'])
  })

  it('pins every dependency to one version', ({ expect }) => {
    for (const [name, version] of Object.entries(manifest.dependencies))
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
  })

  it('brings no further package: its dependencies have none of their own', ({ expect }) => {
    for (const name of Object.keys(manifest.dependencies)) {
      const own = lock.packages[`node_modules/${name}`]!
      expect(own.dependencies, name).toBeUndefined()
    }
  })

  it('runs no script when it is installed', ({ expect }) => {
    for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
      expect(manifest.scripts).not.toHaveProperty(name)
  })

  it('is published with provenance', ({ expect }) => {
    expect(manifest.publishConfig.provenance).toBe(true)
  })

  it('has a lock file that names no host', ({ expect }) => {
    for (const [path, entry] of Object.entries(lock.packages))
      expect(entry.resolved, path).toBeUndefined()
  })

  it('has a complete lock file: every package with its digest, for every platform', ({
    expect,
  }) => {
    for (const [path, { integrity, link, optionalDependencies = {} }] of Object.entries(
      lock.packages,
    )) {
      if (path !== '' && link !== true) expect(integrity, path).toMatch(/^sha512-/)
      for (const name of Object.keys(optionalDependencies))
        expect(
          placesOf(path).some((folder) => `${folder}node_modules/${name}` in lock.packages),
          name,
        ).toBe(true)
    }
  })
})

/** Where npm looks for a dependency of the package at this path: `a/node_modules/b` → itself, `a/`, the root. */
function placesOf(path: string): readonly string[] {
  const parts = path.split('node_modules/')
  return parts
    .map((_, i) => parts.slice(0, parts.length - i).join('node_modules/'))
    .flatMap((folder) => [folder === '' ? '' : `${folder.replace(/\/$/, '')}/`])
}
