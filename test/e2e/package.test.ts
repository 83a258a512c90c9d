import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
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

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-package-'))
  // `npm pack` builds the package first.
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: root, stdio: 'pipe' })
  const [tarball] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  execFileSync('tar', ['-xzf', tarball!], { cwd: folder })
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A project as a user has it: the packed files, and a Hono of the user's own. */
function projectWith(hono: string): string {
  const home = join(folder, `with-${hono}`)
  const modules = join(home, 'node_modules')
  mkdirSync(join(modules, '@noble'), { recursive: true })
  execFileSync('cp', ['-r', join(folder, 'package'), join(modules, 'tidegate')])
  symlinkSync(join(root, 'node_modules', hono), join(modules, 'hono'))
  for (const name of ['valibot', '@noble/hashes'])
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(home, 'tsconfig.json'), JSON.stringify(TSCONFIG))
  writeFileSync(join(home, 'app.ts'), APP)
  return home
}

describe.for(HONOS)('the packed tarball with %s', (hono) => {
  it('type-checks and runs', ({ expect }) => {
    const home = projectWith(hono)
    const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', home], { encoding: 'utf8' })
    expect(tsc.stdout).toBe('')
    const run = spawnSync(process.execPath, ['app.ts'], { cwd: home, encoding: 'utf8' })
    expect(run.stderr).toBe('')
    expect(run.stdout).toBe('7: startup tidegate-shop\n')
  })
})
