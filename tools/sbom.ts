import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MOST_EDGE_PACKAGES, packagesIn, wholeBundle } from '../bench/bundle/sizes.ts'
import { buildDashboard } from './build-dashboard.ts'
import { PACKAGE_ROOT } from './package-root.ts'

/** `npm run sbom`: the bill of materials of the package in CycloneDX form, build/sbom.json. */

interface Component {
  readonly name: string
  readonly version: string
}

// npm leaves out a dependency that a development tool needs, too, if it is asked to omit those. So all are listed first.
const all = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
    cwd: PACKAGE_ROOT,
    encoding: 'utf8',
  }),
) as { readonly components: readonly Component[]; readonly dependencies?: readonly unknown[] }
const { dependencies } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>
}
const components = all.components.filter(({ name, version }) => dependencies[name] === version)
if (components.length !== Object.keys(dependencies).length)
  throw new Error('The bill of materials does not have all dependencies. Run npm ci first.')
const { dependencies: _, ...bill } = all
mkdirSync(join(PACKAGE_ROOT, 'build'), { recursive: true })
const file = join(PACKAGE_ROOT, 'build/sbom.json')
writeFileSync(file, `${JSON.stringify({ ...bill, components }, null, 2)}\n`)
buildDashboard()
const packages = packagesIn(await wholeBundle())
console.log(`${file}: ${components.map(({ name, version }) => `${name} ${version}`).join(', ')}`)
console.log(
  `Packages that go to the edge: ${packages.length}, of at most ${MOST_EDGE_PACKAGES} (${packages.join(', ')})`,
)
if (packages.length > MOST_EDGE_PACKAGES) process.exitCode = 1
