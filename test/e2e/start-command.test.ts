import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { childrenOf } from '../../bench/runtime/process.ts'
import { openRequest, send } from '../support/e2e/client.ts'
import { ScriptedOrigin } from '../support/e2e/scripted-origin.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TIDEGATE = join(ROOT, 'cli/main.ts')

let origin: ScriptedOrigin
let folder: string

beforeAll(async () => {
  origin = await ScriptedOrigin.start()
  folder = await mkdtemp(join(tmpdir(), 'tidegate-start-'))
})

afterAll(async () => {
  await origin.close()
  await rm(folder, { recursive: true })
})

/** Runs it like `npm start --`, in its own process group, as a terminal does. */
function run(...args: string[]): ChildProcess {
  return runIn(ROOT, ...args)
}

function runIn(root: string, ...args: string[]): ChildProcess {
  const command = [join(root, 'cli/main.ts'), 'dev', ...args]
  return spawn(process.execPath, command, { cwd: root, stdio: 'pipe', detached: true })
}

/** The repository as `git clone && npm ci` leaves it: nothing is built. */
async function freshClone(): Promise<string> {
  const clone = join(folder, 'clone')
  const built = ['node_modules', 'build', 'dist', '.git', '.tidegate', '.wrangler']
  for (const name of await readdir(ROOT))
    if (!built.includes(name))
      await cp(join(ROOT, name), join(clone, name), {
        recursive: true,
        filter: (file) => !file.endsWith('.generated.ts'),
      })
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'))
  return clone
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

interface Outcome {
  readonly code: number | null
  readonly text: string
  readonly errors: string
}

async function outcome(child: ChildProcess): Promise<Outcome> {
  let [text, errors] = ['', '']
  child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  child.stderr!.setEncoding('utf8').on('data', (piece: string) => {
    errors += piece
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text, errors }
}

/** Waits for the first address in its output. */
async function addressOf(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const address = line.match(/http:\/\/127\.0\.0\.1:\d+/)
    if (address) return address[0]
  }
  throw new Error('The command ended without printing an address')
}

describe.concurrent('npm start', () => {
  it('lists every option with --help, and starts nothing', async ({ expect }) => {
    const { code, text } = await outcome(run('--help'))
    expect(code).toBe(0)
    for (const option of ['--config', '--port', '--origin', '--persist'])
      expect(text).toContain(option)
  })

  it('starts in a fresh clone, and serves the dashboard', async ({ expect }) => {
    const child = runIn(await freshClone(), '--origin', origin.url, '--port', '0')
    const ending = outcome(child)
    const address = await addressOf(child)
    expect((await send(`${address}/_tidegate/`)).text).toContain('<title>Tidegate')
    process.kill(child.pid!, 'SIGINT')
    expect(await ending).toMatchObject({ code: 0, errors: '' })
  })

  it('ends with 1 and the problems if the configuration is wrong', async ({ expect }) => {
    const config = join(folder, 'faulty.json')
    await writeFile(config, JSON.stringify({ routes: [{ match: '/*', mode: 'on' }] }))
    const { code, errors } = await outcome(run('--config', config, '--port', '0'))
    expect(code).toBe(1)
    expect(errors).toContain('routes[0].origin: expected')
    expect(errors).toContain('routes[0].mode: expected')
    expect(errors).not.toMatch(/^\s+at /m)
  })

  it.for(['process', 'process-group'])(
    'ends cleanly on SIGINT to its %s, with a request in flight',
    async (target, { expect }) => {
      const child = run('--origin', origin.url, '--port', '0')
      const ending = outcome(child)
      const address = await addressOf(child)
      expect((await send(`${address}/hello`)).text).toBe('GET /hello')
      const arriving = origin.next(`/${target}`)
      const pending = openRequest(`${address}/${target}`).end()
      const cut = once(pending, 'error')
      await arriving
      process.kill(target === 'process' ? child.pid! : -child.pid!, 'SIGINT')
      const { code, errors } = await ending
      expect(code).toBe(0)
      expect(errors).toBe('')
      await cut
      await expect
        .poll(() => send(address).catch((error: NodeJS.ErrnoException) => error.code))
        .toBe('ECONNREFUSED')
    },
  )

  it('says at the start and in the log which origin cannot be reached, and which request no route takes', async ({
    expect,
  }) => {
    const config = join(folder, 'unreachable.json')
    const gone = await ScriptedOrigin.start()
    await gone.close()
    const routes = [{ match: '/shop/*', origin: gone.url }]
    await writeFile(config, JSON.stringify({ routes }))
    const child = run('--config', config, '--port', '0')
    const ending = outcome(child)
    const address = await addressOf(child)
    for (const path of ['/shop/1', '/shop/2', '/elsewhere'])
      await (await fetch(`${address}${path}`)).text()
    process.kill(child.pid!, 'SIGINT')
    const { text, errors } = await ending
    const line = text.split('\n').find((one) => one.startsWith('  Route shop  /shop/*'))
    expect(line).toContain(`${gone.url}  CANNOT BE REACHED: connect ECONNREFUSED`)
    const log = text + errors
    expect(log.split(`the origin ${gone.url} cannot be reached: `)).toHaveLength(2)
    // The cause, in the words of workerd.
    expect(log).toContain(`${gone.url} cannot be reached: Network connection lost.`)
    expect(log).toMatch(/no route takes GET 127\.0\.0\.1:\d+\/elsewhere/)
  })

  it('ends with the process that started it, and leaves no process behind', async ({ expect }) => {
    const script = `require('node:child_process').spawn(process.execPath, ${JSON.stringify([TIDEGATE, 'dev', '--origin', origin.url, '--port', '0'])}, { stdio: 'inherit' })`
    const parent = spawn(process.execPath, ['-e', script], { stdio: 'pipe' })
    const address = await addressOf(parent)
    const [started] = childrenOf(parent.pid!)
    const all = [started!, ...childrenOf(started!)]
    expect(all.length).toBeGreaterThan(1)
    expect((await send(`${address}/hello`)).text).toBe('GET /hello')
    parent.kill('SIGKILL')
    await expect.poll(() => all.filter(isRunning)).toEqual([])
  })

  it('ends with 1 and a message if workerd ends by itself', async ({ expect }) => {
    const child = run('--origin', origin.url, '--port', '0')
    const ending = outcome(child)
    await addressOf(child)
    for (const pid of childrenOf(child.pid!)) process.kill(pid, 'SIGKILL')
    const { code, errors } = await ending
    expect(code).toBe(1)
    expect(errors).toContain('workerd has stopped unexpectedly')
  })
})
