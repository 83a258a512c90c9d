import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { installed, ROOT } from '../support/e2e/packed.ts'

const SECRET = 'the secret that all runtimes share, long enough'
const SUITE = join(ROOT, 'test/support/runtimes/suite.js')
/** `.ci/run` installs Deno and Bun here. */
const PROGRAMS = process.env.RUNTIMES ?? join(ROOT, 'build/runtimes/node_modules/.bin')

interface Runtime {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
}

const RUNTIMES: readonly Runtime[] = [
  { name: 'Node', program: process.execPath, args: [] },
  {
    name: 'Deno',
    program: join(PROGRAMS, 'deno'),
    args: ['run', '--allow-all', '--node-modules-dir=manual', '--no-lock'],
  },
  { name: 'Bun', program: join(PROGRAMS, 'bun'), args: ['run'] },
]

let gate: LocalGate
let home: string

beforeAll(async () => {
  home = installed('runtimes', { hono: 'hono' })
  writeFileSync(join(home, 'package.json'), JSON.stringify({ type: 'module' }))
  copyFileSync(SUITE, join(home, 'suite.js'))
  // A Worker somewhere else has the coordinator. Its own route is of no matter.
  gate = await startLocalGate({
    config: { routes: [{ name: 'other', match: '/*', origin: 'http://127.0.0.1:9' }] },
    port: 0,
    secrets: { TIDEGATE_SECRET: SECRET, TIDEGATE_ADMIN_TOKEN: 'a token of the runtimes' },
  })
}, 60_000)

afterAll(() => gate?.close())

describe('the middleware', () => {
  for (const { name, program, args } of RUNTIMES) {
    // Never skipped in CI.
    const isMissing = !existsSync(program) && !process.env.CI
    if (isMissing)
      console.warn(
        `Skipped on ${name}: get it with "npm install --prefix build/runtimes deno@2.9.6 bun@1.4.4".`,
      )
    it.skipIf(isMissing)(`passes the shared suite on ${name}`, ({ expect }) => {
      const { status, stdout, stderr } = spawnSync(
        program,
        [...args, 'suite.js', gate.url, SECRET],
        {
          cwd: home,
          encoding: 'utf8',
          timeout: 50_000,
        },
      )
      expect(stdout, stderr).toContain('all checks passed')
      expect(stdout).not.toContain('FAILED')
      expect(status).toBe(0)
    })
  }
})
