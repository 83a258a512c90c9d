import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { startOrigin } from '../support/e2e/origin.ts'
import { installed } from '../support/e2e/packed.ts'
import { Terminal } from '../support/e2e/terminal.ts'

/** A newcomer's path with the packed tarball: from `npx tidegate init` in an empty folder to a protected origin. */

let home: string
let origin: Awaited<ReturnType<typeof startOrigin>>

beforeAll(async () => {
  home = installed('newcomer', { hono: 'hono', wrangler: 'wrangler' })
  origin = await startOrigin((_request, response) => response.end('from the origin'))
}, 60_000)
afterAll(() => origin.close())

const folderNamed = (name: string): string => {
  const folder = join(home, name)
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Through a pipe, as a script runs it. */
function tidegate(cwd: string, ...args: string[]) {
  const program = join(home, 'node_modules/.bin/tidegate')
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const address = line.match(/http:\/\/127\.0\.0\.1:\d+/)
    if (address) return address[0]
  }
  throw new Error('The command ended without printing an address')
}

describe('a newcomer with the packed package', () => {
  it('answers five questions in a terminal, checks, runs the gate, and is protected', async ({
    expect,
  }) => {
    const folder = folderNamed('my-shop')
    const terminal = new Terminal('npx', ['--no-install', 'tidegate', 'init'], { cwd: folder })
    await terminal.shows('Which server shall be protected?')
    terminal.type('127.0.0.1\n')
    await terminal.shows('Write "http://127.0.0.1".')
    terminal.type(`${origin.url}\n`)
    await terminal.shows('Which requests?')
    terminal.type('\n')
    await terminal.shows('Within how many milliseconds')
    terminal.type('800\n')
    await terminal.shows('Begin with "observe"')
    terminal.type('enforce\n')
    await terminal.shows('What shall the Worker be called? [my-shop]')
    terminal.type('\n')
    await terminal.shows('npx tidegate dev')
    expect(await terminal.end()).toBe(0)

    const config = readFileSync(join(folder, 'tidegate.config.ts'), 'utf8')
    expect(config).toContain(`origin: '${origin.url}'`)
    expect(config).toContain('targetMs: 800')
    expect(statSync(join(folder, '.dev.vars')).mode & 0o077).toBe(0)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('.dev.vars')

    const checked = tidegate(folder, 'check', '--json')
    expect(checked.status).toBe(0)
    expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true, warnings: [] })

    const dev = spawn(
      process.execPath,
      [join(home, 'node_modules/.bin/tidegate'), 'dev', '--port', '0'],
      {
        cwd: folder,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    try {
      const address = await addressOf(dev)
      const response = await fetch(`${address}/`)
      expect(await response.text()).toBe('from the origin')
      expect(response.headers.get('Set-Cookie')).toMatch(/^tidegate-site=/)
      // These find the gate and its token by themselves: it runs in the same folder.
      const status = tidegate(folder, 'status', '--json')
      expect(JSON.parse(status.stdout)).toMatchObject([{ name: 'site', mode: 'enforce' }])
      const acted = tidegate(folder, 'mode', 'observe', '--for', '1h', '--yes')
      expect(acted.stdout).toContain('Undo it with: tidegate undo')
      expect(tidegate(folder, 'status').stdout).toContain('site   observe, configured enforce')
      expect(tidegate(folder, 'watch', '--count', '1').stdout).toContain('site observe')
      const stopped = tidegate(folder, 'check', '--for-deployment')
      expect(stopped.status).toBe(1)
      expect(stopped.stderr).toContain('expected a public address')
    } finally {
      dev.kill('SIGINT')
      await once(dev, 'exit')
    }
    expect(existsSync(join(folder, '.tidegate/dev.json'))).toBe(false)
  })

  it('deploys, as a dry run, what init wrote', ({ expect }) => {
    const folder = folderNamed('public')
    const made = tidegate(
      folder,
      'init',
      '--yes',
      '--origin',
      'https://origin.example.com',
      '--json',
    )
    expect(made.status).toBe(0)
    const paths = (JSON.parse(made.stdout) as { files: { path: string }[] }).files.map(
      ({ path }) => path,
    )
    expect(paths).toEqual(
      expect.arrayContaining([
        'tidegate.config.ts',
        'wrangler.toml',
        'src/index.ts',
        '.dev.vars.example',
      ]),
    )
    const { status, stdout, stderr } = tidegate(folder, 'deploy', '--dry-run', '--json')
    expect({ status, stderr }).toMatchObject({ status: 0 })
    expect(JSON.parse(stdout)).toMatchObject({ dryRun: true, wranglerExitCode: 0 })
    const bundle = readFileSync(join(folder, '.wrangler/dry-run/index.js'), 'utf8')
    expect(bundle).toContain('https://origin.example.com')
  })

  it('puts the gate beside a Worker that is there, and changes nothing of it', ({ expect }) => {
    const folder = folderNamed('with-worker')
    writeFileSync(join(folder, 'wrangler.jsonc'), '{ "name": "mine" }')
    const mine = '{ "devDependencies": { "wrangler": "4" }, "dependencies": { "hono": "4" } }'
    writeFileSync(join(folder, 'package.json'), mine)
    writeFileSync(join(folder, '.gitignore'), 'node_modules\n')
    const { status, stdout, stderr } = tidegate(
      folder,
      'init',
      '--yes',
      '--origin',
      'https://a.example',
    )
    expect(status).toBe(0)
    expect(stdout).toContain('wrangler.gate.toml')
    expect(stdout).toContain('  npm install tidegate\n')
    expect(stderr).toContain('nothing of yours is changed')
    expect(readFileSync(join(folder, 'wrangler.jsonc'), 'utf8')).toBe('{ "name": "mine" }')
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(mine)
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe(
      'node_modules\n.wrangler/\n.tidegate/\n.dev.vars\n',
    )
    const again = tidegate(folder, 'init', '--yes', '--origin', 'https://b.example')
    expect(again.stdout).toContain('kept      tidegate.config.ts')
    expect(readFileSync(join(folder, 'tidegate.config.ts'), 'utf8')).toContain('https://a.example')
  })

  it('is told what is wrong with a flag, a name or an option', ({ expect }) => {
    const folder = folderNamed('wrong')
    expect(tidegate(folder, 'init', '--yes')).toMatchObject({ status: 2, stdout: '' })
    expect(tidegate(folder, 'init', '--origin', 'ftp://a', '--mode', 'on').stderr).toBe(
      '--origin: got "ftp://a". Write "https://a".\n--mode: got "on". Write "observe" or "enforce".\n',
    )
    expect(tidegate(folder, 'inti')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'tidegate inti: there is no such command. Did you mean "init"?\n',
    })
    expect(tidegate(folder, 'check', '--jsn')).toMatchObject({ status: 2 })
    expect(tidegate(folder, 'dev').stderr).toContain('Write one with "tidegate init"')
  })

  it('gets the schema, the version and the help without the repository', ({ expect }) => {
    expect(JSON.parse(tidegate(home, 'schema').stdout)).toHaveProperty('properties.routes')
    expect(tidegate(home, '--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    const { stdout } = tidegate(home, '--help')
    expect(stdout).toContain('init')
    expect(stdout).not.toContain('repository only')
  })
})
