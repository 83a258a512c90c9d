import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, it } from 'vitest'
import { installed, packedFolder, ROOT as root } from '../support/e2e/packed.ts'

/** Both ends of the range in `peerDependencies`, pinned in `devDependencies`. */
const HONOS = ['hono-oldest', 'hono']

/** The README's middleware, and one request through it with the coordinator in process. */
const APP = `
import { Hono } from 'hono'
import { InProcessCoordinator, tidegate, type TidegateVariables } from 'tidegate'

const app = new Hono<{ Variables: TidegateVariables }>()
const coordinator = new InProcessCoordinator()
const env = { TIDEGATE_SECRET: 'a secret of the tests, long enough to be one' }
app.use(tidegate({ routes: [{ match: '/shop/*', learner: 'aimd' }] }, { coordinator, env }))
app.get('/shop/:item', (c) => c.text(\`\${c.req.param('item')}: \${c.var.verdict.reason}\`))
const answer = await app.request('http://site.example/shop/7')
console.log(await answer.text(), answer.headers.get('Set-Cookie')?.split('=')[0])
`

/** A learner or an option that does not exist is an error in the editor, before `tidegate check` says so. */
const TYPED = `
import { defineConfig, type TidegateConfig } from 'tidegate'
const of = (learner: NonNullable<TidegateConfig['routes'][number]['learner']>) =>
  defineConfig({ routes: [{ match: '/*', origin: 'https://origin.example', learner }] })
of('soc-lqr')
of({ name: 'aimd', smoothing: 0.5 })
// @ts-expect-error
of('soc-lqrr')
// @ts-expect-error
of({ name: 'soc-lqrr' })
// @ts-expect-error
of({ name: 'aimd', smothing: 0.5 })
// @ts-expect-error
of({ name: 'aimd', smoothing: '0.5' })
// @ts-expect-error
defineConfig({ routes: [{ match: '/*', learner: 'soc-lqrr' }] })
`

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2024',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    lib: ['ES2024', 'DOM', 'DOM.Iterable'],
    types: [join(root, 'node_modules/@cloudflare/workers-types/index.d.ts')],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ['app.ts'],
}

beforeAll(() => void packedFolder(), 60_000)

/** A project as a user has it: the packed files, and a Hono of the user's own. */
function projectWith(hono: string, name = `with-${hono}`): string {
  const home = installed(name, { hono })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  writeFileSync(join(home, 'app.ts'), APP)
  return home
}

/** The app in plain JavaScript, after this runtime has been made as poor as Node 20. */
const ON_NODE_20 = `
for (const [owner, names] of [
  [Promise, ['withResolvers', 'try']],
  [URL, ['parse']],
  [Array, ['fromAsync']],
  [Object, ['groupBy']],
  [Map, ['groupBy']],
  [Set.prototype, ['union', 'intersection', 'difference', 'isSubsetOf', 'isSupersetOf']],
])
  for (const name of names) delete owner[name]
delete globalThis.Iterator
const { Request: RealRequest } = globalThis
globalThis.Request = class { constructor() { throw new Error('A Request was made while a module loads') } }
const { Hono } = await import('hono')
const { InProcessCoordinator, tidegate } = await import('tidegate')
globalThis.Request = RealRequest
const app = new Hono()
const env = { TIDEGATE_SECRET: 'a secret of the tests, long enough to be one' }
const capacity = { webhook: 'https://scaler.example.com/capacity' }
app.use(tidegate({ routes: [{ match: '/shop/*', granularity: 'request', capacity }] }, { coordinator: new InProcessCoordinator(), env }))
app.get('/shop/:item', (c) => c.text(c.req.param('item')))
app.post('/shop/:item', async (c) => c.text(await c.req.text()))
const get = await app.request('http://site.example/shop/7')
const post = await app.request('http://site.example/shop/7', { method: 'POST', body: 'bought', headers: { 'Content-Length': '6' } })
console.log(get.status, await get.text(), post.status, await post.text())
process.exit(0)
`

const NEWER_THAN_NODE_20 =
  /\b(?:Promise\.(?:withResolvers|try)|URL\.parse|Array\.fromAsync|(?:Object|Map)\.groupBy|Iterator\.from|RegExp\.escape|Error\.isError|Math\.sumPrecise)\b|\.(?:isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference|getOrInsert)\(|\.(?:keys|values|entries)\(\)\s*\.(?:map|filter|take|drop|flatMap|reduce|toArray|forEach|some|every|find)\(/g

const { engines, peerDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as { engines: { node: string }; peerDependencies: { hono: string } }
const oldest = Number(/^>=(\d+)/.exec(engines.node)![1])
/** A Node of the oldest version that `engines` allows, where this machine has one beside the project's own. */
const oldNode = ['/usr/bin/node', '/usr/local/bin/node'].find((node) =>
  spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith(`v${oldest}.`),
)

describe('the middleware runs where `engines` says', () => {
  function runWith(node: string) {
    const home = projectWith('hono', 'oldest-node')
    writeFileSync(join(home, 'app.mjs'), ON_NODE_20)
    return spawnSync(node, ['app.mjs'], { cwd: home, encoding: 'utf8' })
  }

  it('without anything newer than Node 20, and makes no Request while it loads', ({ expect }) => {
    expect(oldest).toBe(20)
    const { stdout, stderr } = runWith(process.execPath)
    expect(stderr).toBe('')
    expect(stdout).toBe('200 7 200 bought\n')
  })

  it('has nothing newer than Node 20 in any of its files', ({ expect }) => {
    const dist = join(packedFolder(), 'package/dist')
    const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    // The dashboard is for browsers.
    const code = files.filter((name) => name.endsWith('.js') && !name.includes('dashboard-page'))
    expect(code.length).toBeGreaterThan(100)
    const newer = code.flatMap((name) =>
      [...readFileSync(join(dist, name), 'utf8').matchAll(NEWER_THAN_NODE_20)].map(
        ([found]) => `${name}: ${found}`,
      ),
    )
    expect(newer).toEqual([])
  })

  it.skipIf(oldNode === undefined)('on that Node itself', ({ expect }) => {
    const { stdout, stderr } = runWith(oldNode!)
    expect(stderr).toBe('')
    expect(stdout).toBe('200 7 200 bought\n')
  })
})

describe('the range of Hono in `peerDependencies`', () => {
  it('begins with the oldest one that is tried, and has the newest one in it', ({ expect }) => {
    const [oldest, newest] = HONOS.map((name) => {
      const manifest = readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')
      return (JSON.parse(manifest) as { version: string }).version
    })
    const [, from, below] = /^>=(\S+) <(\d+)$/.exec(peerDependencies.hono)!
    expect(oldest).toBe(from)
    expect(Number(newest!.split('.')[0])).toBe(Number(below) - 1)
  })
})

describe.for(HONOS)('the packed tarball with %s', (hono) => {
  it('type-checks and runs', ({ expect }) => {
    const home = projectWith(hono)
    const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', home], { encoding: 'utf8' })
    expect(tsc.stdout).toBe('')
    const run = spawnSync(process.execPath, ['app.ts'], { cwd: home, encoding: 'utf8' })
    expect(run.stderr).toBe('')
    expect(run.stdout).toBe('7: share tidegate-shop\n')
  })
})

describe('a configuration with the packed tarball', () => {
  it('has types for the names of learners and for their options', ({ expect }) => {
    const home = projectWith('hono', 'typed')
    writeFileSync(join(home, 'app.ts'), TYPED)
    const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', home], { encoding: 'utf8' })
    // Where there is no error, the compiler says that `@ts-expect-error` is unused.
    expect(tsc.stdout).toBe('')
  })
})

describe('the contents of the tarball', () => {
  const home = () => join(packedFolder(), 'package')

  it('are what `files` names, with nothing private and no test', ({ expect }) => {
    const names = readdirSync(home(), { recursive: true, encoding: 'utf8' })
    const tops = names.filter((name) => !name.includes('/')).toSorted()
    expect(tops).toEqual(
      [
        ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
        ...['dist', 'docs', 'durable-objects', 'monitoring', 'node', 'src', 'tools'],
      ].toSorted(),
    )
    expect(names.filter((name) => /\.dev\.vars|\.env|\.test\.|\.sqlite|\.pem/.test(name))).toEqual(
      [],
    )
  })

  it('have every file that `exports` and `bin` name', ({ expect }) => {
    const manifest = JSON.parse(readFileSync(join(home(), 'package.json'), 'utf8'))
    const files = [...Object.values<object>(manifest.exports), manifest.bin].flatMap((one) =>
      Object.values<string>(one as Record<string, string>),
    )
    expect(files.length).toBeGreaterThanOrEqual(9)
    for (const file of files) expect(existsSync(join(home(), file)), file).toBe(true)
  })

  it('have a bill of materials with the dependencies, and no other package', ({ expect }) => {
    const { stdout, stderr } = spawnSync(process.execPath, ['tools/sbom.ts'], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(stdout, stderr).toContain('valibot')
    expect(stdout).toMatch(/^Packages that go to the edge: [123], of at most 3 \(/m)
    const bill = JSON.parse(readFileSync(join(root, 'build/sbom.json'), 'utf8'))
    expect(bill.bomFormat).toBe('CycloneDX')
    expect(bill.components.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      ...['@noble/hashes', 'citty', 'valibot'],
    ])
  })
})
