import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it } from 'vitest'

const tool = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-cli-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function config(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', NODE_NO_WARNINGS: '1' },
  })
  return { status, stdout, stderr }
}

function write(name: string, value: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(value))
  return name
}

const ORIGIN = 'https://origin.example.com'

describe('npm run config -- check FILE', () => {
  it('prints "ok" and the routes with their classes', ({ expect }) => {
    const classes = [{ name: 'buyers', value: 10, guaranteed: 5, match: { path: '/shop/buy' } }]
    const file = write('good.json', { routes: [{ match: '/shop/*', origin: ORIGIN, classes }] })
    expect(config('check', file)).toEqual({
      status: 0,
      stderr: '',
      stdout: `good.json: ok

route  match    origin                      target       learner  mode     class    value  guaranteed
shop   /shop/*  ${ORIGIN}  p95 1000 ms  soc-lqr  enforce  buyers   10     5/s
                                                                           default  1
`,
    })
  })

  it('prints all problems and ends with exit code 1', ({ expect }) => {
    const file = write('bad.json', { routes: [{ match: '/*', tickMs: '1s' }] })
    expect(config('check', file)).toEqual({
      status: 1,
      stdout: '',
      stderr: `bad.json: 2 problems in route "site"
  routes[0].origin: expected a URL, { url } or { servers: [{ url }] }, got nothing. Write for example "${ORIGIN}".
  routes[0].tickMs: expected a whole number from 100 to 60000 (milliseconds), got "1s" (string). Write 1000.
`,
    })
  })

  it('warns about what is allowed but surely not meant, and ends with exit code 0', ({
    expect,
  }) => {
    const file = write('doubtful.json', {
      routes: [{ match: '/*', origin: ORIGIN, bypass: [{ cookie: { staff: true } }] }],
    })
    const { status, stdout, stderr } = config('check', file)
    expect(status).toBe(0)
    expect(stdout).toContain('doubtful.json: ok')
    expect(stderr).toMatch(
      /^\n1 warning:\n {2}routes\[0\]\.bypass\[0\]\.cookie\.staff: Any client can/,
    )
  })

  it('refuses Workers Cache before the gate, but not before another Worker in the folder', ({
    expect,
  }) => {
    const file = write('good.json', { routes: [{ match: '/*', origin: ORIGIN }] })
    try {
      writeFileSync(join(folder, 'wrangler.toml'), 'name = "gate"\n[cache]\nenabled = true\n')
      const { status, stderr } = config('check', file)
      expect(status).toBe(1)
      expect(stderr).toMatch(/^wrangler\.toml: cache\.enabled: expected false, got true\./)
      writeFileSync(join(folder, 'wrangler.gate.toml'), 'name = "gate"\n')
      expect(config('check', file).status).toBe(0)
    } finally {
      for (const name of ['wrangler.toml', 'wrangler.gate.toml'])
        rmSync(join(folder, name), { force: true })
    }
  })

  it('asks for no origin with --middleware', ({ expect }) => {
    const file = write('middleware.json', { routes: [{ match: '/*' }] })
    const { status, stdout } = config('check', file, '--middleware')
    expect(status).toBe(0)
    expect(stdout).toContain('the handlers')
  })

  it('reports unreachable origins, only with --for-deployment', ({ expect }) => {
    const file = write('local.json', { routes: [{ match: '/*', origin: 'http://127.0.0.1:8788' }] })
    expect(config('check', file).status).toBe(0)
    expect(config('check', file, '--for-deployment')).toEqual({
      status: 1,
      stdout: '',
      stderr: `local.json: 1 problem in route "site"
  routes[0].origin: expected a public address, because the configuration is to be deployed, got "http://127.0.0.1:8788" (string), which only this machine or its network can reach. Write your origin's public address, for example "${ORIGIN}".
`,
    })
  })

  it('ends with exit code 1 if the file does not exist', ({ expect }) => {
    expect(config('check', 'none.ts')).toEqual({
      status: 1,
      stdout: '',
      stderr: `${join(folder, 'none.ts')}: there is no such file.\n`,
    })
  })
})

describe('npm run config -- schema', () => {
  it('prints a JSON Schema with defaults, descriptions and learners', ({ expect }) => {
    const { status, stdout } = config('schema')
    expect(status).toBe(0)
    const schema = JSON.parse(stdout)
    expect(schema.$schema).toBe('http://json-schema.org/draft-07/schema#')
    const { properties } = schema.properties.routes.items
    expect(properties.tickMs).toEqual({
      type: 'integer',
      minimum: 100,
      maximum: 60_000,
      default: 1000,
      description:
        'Length of a tick: a new plan is made once per tick. Whole milliseconds, 100 to 60000. Default: 1000.',
    })
    expect(properties.learner.anyOf[0].enum).toContain('aimd')
  })
})

describe('npm run config -- --help', () => {
  it('names the commands', ({ expect }) => {
    const { status, stdout } = config('--help')
    expect(status).toBe(0)
    for (const command of ['check', 'schema', 'dev']) expect(stdout).toContain(command)
  })
})
