import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { RouteStatus } from '../../src/coordinator/operator/route-status.ts'
import { COMPATIBILITY } from '../../tools/as-deployed.ts'
import { startOrigin } from '../support/e2e/origin.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const SECRETS = {
  TIDEGATE_SECRET: 'a secret of the tests, long enough to be one',
  TIDEGATE_ADMIN_TOKEN: "the tests' admin token",
}
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidegate-examples-'))
  execFileSync(process.execPath, ['tools/build.ts'], { cwd: root })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A copy of the example as a user has it: it finds the package by name, through its exports. */
function install(example: string): string {
  const home = join(folder, example)
  cpSync(join(root, 'examples', example), home, { recursive: true })
  mkdirSync(join(home, 'node_modules/@hono'), { recursive: true })
  symlinkSync(root, join(home, 'node_modules/tidegate'))
  for (const name of ['hono', '@hono/node-server', 'valibot'])
    symlinkSync(join(root, 'node_modules', name), join(home, 'node_modules', name))
  return home
}

/** Wrangler bundles it with the example's own wrangler.toml, and workerd runs it. */
async function runWorker(home: string, edit: (code: string) => string = (code) => code) {
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js')
  execFileSync(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', 'out'], {
    cwd: home,
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
    stdio: 'pipe',
  })
  return new Miniflare(
    convertV4MiniflareOptions({
      modules: [
        {
          type: 'ESModule',
          path: 'index.js',
          contents: edit(readFileSync(join(home, 'out/index.js'), 'utf8')),
        },
      ],
      ...COMPATIBILITY,
      bindings: SECRETS,
      cf: false,
      durableObjects: {
        TIDEGATE_COORDINATOR: { className: 'Coordinator', useSQLite: true },
        TIDEGATE_RELAY: { className: 'Relay', useSQLite: true },
      },
    }),
  )
}

describe('examples/proxy-worker', () => {
  it('forwards visitors to its origin, with a session cookie', async ({ expect }) => {
    const origin = await startOrigin((_request, response) => response.end('from the origin'))
    const worker = await runWorker(install('proxy-worker'), (code) =>
      code.replaceAll('https://origin.example.com', origin.url),
    )
    try {
      const response = await worker.dispatchFetch('http://shop.example/checkout/pay')
      expect(await response.text()).toBe('from the origin')
      expect(response.headers.get('Set-Cookie')).toMatch(/^tidegate-shop=/)
    } finally {
      await worker.dispose()
      await origin.close()
    }
  })
})

describe('examples/hono-app', () => {
  it('protects the handlers of a Hono app, and lets the health check pass', async ({ expect }) => {
    const worker = await runWorker(install('hono-app'))
    try {
      const page = await worker.dispatchFetch('http://news.example/')
      expect(await page.text()).toContain('Admitted: share')
      expect(page.headers.get('Set-Cookie')).toMatch(/^tidegate-site=/)
      const api = await worker.dispatchFetch('http://news.example/api/articles')
      expect(await api.json()).toEqual([{ id: 1, title: 'High tide' }])
      expect(api.headers.get('Set-Cookie')).toBeNull()
      const health = await worker.dispatchFetch('http://news.example/health')
      expect(health.headers.get('Set-Cookie')).toBeNull()
    } finally {
      await worker.dispose()
    }
  })
})

describe('examples/node-server', () => {
  it('runs on Node with the coordinator in process', async ({ expect }) => {
    const server = spawn(process.execPath, ['src/server.ts'], {
      cwd: install('node-server'),
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const [url] = (await once(createInterface(server.stdout), 'line')) as [string]
      const first = await fetch(url)
      expect(await first.text()).toContain('you were let in: share')
      const cookie = first.headers.get('Set-Cookie')?.split(';')[0] ?? ''
      const second = await fetch(url, { headers: { Cookie: cookie } })
      expect(await second.text()).toContain('you were let in: session')
    } finally {
      server.kill()
      await once(server, 'exit')
    }
  })
})

describe('examples/coordinator-server', () => {
  const ENV = { ...process.env, ...SECRETS, PORT: '0', NODE_NO_WARNINGS: '1' }

  /** Starts a program of the example. Its first line is its address. */
  async function run(home: string, program: string, env: NodeJS.ProcessEnv = {}) {
    const child = spawn(process.execPath, [`src/${program}.ts`], {
      cwd: home,
      env: { ...ENV, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string]
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await once(child, 'exit')
    }
    return { url, end }
  }

  it('learns from an edge on Node, and has its knowledge after kill -9', async ({ expect }) => {
    const home = install('coordinator-server')
    let server = await run(home, 'server')
    const { port } = new URL(server.url)
    const edge = await run(home, 'edge', { COORDINATOR_URL: server.url })
    const headers = { Authorization: `Bearer ${SECRETS.TIDEGATE_ADMIN_TOKEN}` }
    const ask = async (path: string) =>
      (await (
        await fetch(`${server.url}/_tidegate/api/v1/${path}`, { headers })
      ).json()) as RouteStatus
    try {
      const act = await fetch(`${server.url}/_tidegate/api/v1/routes/site/actions`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ action: 'mode', mode: 'observe', note: 'before the crash' }),
      })
      expect(act.status).toBe(201)
      let before = await ask('routes/site/status')
      for (let i = 0; i < 60 && !(before.reports.taken > 3); i++) {
        await fetch(edge.url)
        await new Promise((resolve) => setTimeout(resolve, 100))
        before = await ask('routes/site/status')
      }
      expect(before.reports.taken).toBeGreaterThan(3)
      await server.end('SIGKILL')
      server = await run(home, 'server', { PORT: port })
      const after = await ask('routes/site/status')
      expect(after.learner.name).toBe(before.learner.name)
      expect(after.learner.state).not.toBeNull()
      expect(after.mode).toBe('observe')
      expect(JSON.stringify(await ask('audit'))).toContain('before the crash')
      // The edge finds it again by itself.
      let again = after
      for (let i = 0; i < 80 && again.reports.taken === after.reports.taken; i++) {
        expect((await fetch(edge.url)).status).toBe(200)
        await new Promise((resolve) => setTimeout(resolve, 100))
        again = await ask('routes/site/status')
      }
      expect(again.reports.taken).toBeGreaterThan(after.reports.taken)
    } finally {
      await edge.end('SIGTERM')
      await server.end('SIGTERM')
    }
  })
})
