import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineCommand, runMain } from 'citty'
import type { TidegateConfig } from '../src/config/form.ts'
import { ConfigError } from '../src/config/problem.ts'
import { loadConfig } from '../src/config/resolve.ts'
import { LEARNER_OPTIONS } from '../src/control/learners/index.ts'
import { type DemoOrigin, startDemoOrigin } from './demo-origin.ts'
import { strict } from './known-options.ts'
import { LoadError, loadConfigFile } from './load-config.ts'
import { type LocalGate, startLocalGate } from './local-gate.ts'

const DEFAULT_CONFIG = fileURLToPath(new URL('../tidegate.config.ts', import.meta.url))
const DEMO_ADDRESS = 'http://127.0.0.1:8788'

const command = strict(
  defineCommand({
    meta: {
      name: 'npm start --',
      description: 'Runs the gate in workerd on this machine, with a demo origin behind it.',
    },
    args: {
      config: {
        type: 'string',
        description: 'Configuration file, .ts, .js or .json',
        valueHint: 'FILE',
      },
      port: { type: 'string', default: '8787', description: 'Port on 127.0.0.1', valueHint: 'N' },
      origin: {
        type: 'string',
        description: 'Protect this origin instead of the demo',
        valueHint: 'URL',
      },
      persist: {
        type: 'string',
        description: 'Keep what is learned in this folder',
        valueHint: 'DIR',
      },
    },
    async run({ args }) {
      try {
        await start(args)
      } catch (error) {
        if (
          !(
            error instanceof ConfigError ||
            error instanceof LoadError ||
            error instanceof UsageError
          )
        )
          throw error
        console.error(error.message)
        process.exitCode = 1
      }
    },
  }),
)

class UsageError extends Error {}

interface Args {
  readonly config?: string | undefined
  readonly port: string
  readonly origin?: string | undefined
  readonly persist?: string | undefined
}

async function start(args: Args): Promise<void> {
  const port = Number(args.port)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new UsageError(`--port: expected a whole number from 0 to 65535, got "${args.port}".`)
  const written = (await loadConfigFile(resolve(args.config ?? DEFAULT_CONFIG))) as TidegateConfig
  const input = args.origin === undefined ? written : withOrigin(written, args.origin)
  const config = loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS })
  const needsDemo = config.routes.some(({ origin }) =>
    origin?.servers.some(({ url }) => url.replace(/\/$/, '') === DEMO_ADDRESS),
  )
  const demo = needsDemo ? await onFreePort(() => startDemoOrigin({ port: 8788 }), 8788) : null
  const gate = await onFreePort(
    () =>
      startLocalGate({
        config: input,
        port,
        ...(args.persist === undefined ? {} : { persist: resolve(args.persist) }),
      }),
    port,
  )
  console.log(greeting(gate, demo, config.routes.length))
  stopOnSignal(async () => {
    await gate.close()
    await demo?.close()
  })
}

function withOrigin(config: TidegateConfig, origin: string): TidegateConfig {
  if (!Array.isArray(config?.routes)) return config
  return { ...config, routes: config.routes.map((route) => ({ ...route, origin })) }
}

async function onFreePort<Value>(open: () => Promise<Value>, port: number): Promise<Value> {
  try {
    return await open()
  } catch (error) {
    if (!/EADDRINUSE|[Aa]ddress already in use/.test(String(error))) throw error
    throw new UsageError(
      `Port ${port} is taken. End what listens there, or choose another with --port.`,
    )
  }
}

function greeting(gate: LocalGate, demo: DemoOrigin | null, routes: number): string {
  const lines = [
    '',
    `  Tidegate is up: ${gate.url}   (${routes} route${routes === 1 ? '' : 's'}, in workerd)`,
  ]
  if (demo)
    lines.push(
      `  Demo origin:    ${demo.url}   (about ${Math.round(demo.capacityPerSecond)} pages/s, then it collapses)`,
    )
  lines.push(
    '',
    '  Try next, in another terminal:',
    demo
      ? '    npm run flood -- --compare        a flash crowd, first without the gate, then with it'
      : `    npm run flood -- --target ${gate.url} --rate 100    a flash crowd of ten times 100 requests/s`,
    `    curl -H 'Authorization: Bearer ${gate.adminToken}' ${gate.url}/_tidegate/api/routes`,
    '',
    '  Ctrl-C ends it.',
    '',
  )
  return lines.join('\n')
}

function stopOnSignal(stop: () => Promise<void>): void {
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // Miniflare's own listener would end the process before everything is closed.
    process.removeAllListeners(signal)
    process.on(signal, async () => {
      if (isStopping) return
      isStopping = true
      await stop()
      process.exit(0)
    })
  }
}

await runMain(command)
