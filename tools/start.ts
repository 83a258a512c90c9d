import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineCommand, runMain } from 'citty'
import { ConfigError } from '../src/config/errors/problem.ts'
import { loadConfig } from '../src/config/load.ts'
import type { TidegateConfig } from '../src/config/user-config.ts'
import { LEARNER_OPTIONS } from '../src/learners/registry.ts'
import { startDemoOrigin } from './demo-origin.ts'
import { strict } from './known-options.ts'
import { LoadError, loadConfigFile } from './load-config.ts'
import { startLocalGate } from './local-gate.ts'
import { DEFAULT_PORT, DEMO_PORT, demoPortTaken, gatePortTaken, greeting } from './start-texts.ts'

const DEFAULT_CONFIG = fileURLToPath(new URL('../tidegate.config.ts', import.meta.url))
const DEMO_ADDRESS = `http://127.0.0.1:${DEMO_PORT}`

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
      port: {
        type: 'string',
        default: String(DEFAULT_PORT),
        description: 'Port on 127.0.0.1',
        valueHint: 'N',
      },
      origin: {
        type: 'string',
        description: 'Protect this origin instead of the demo',
        valueHint: 'URL',
      },
      persist: {
        type: 'string',
        description: 'Store what is learned in this folder',
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
        // A failed start may have left handles open that would keep the process alive.
        process.exit(1)
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
  const demo = needsDemo
    ? await onFreePort(() => startDemoOrigin({ port: DEMO_PORT }), demoPortTaken())
    : null
  const persist = args.persist === undefined ? {} : { persist: resolve(args.persist) }
  const gate = await onFreePort(
    () => startLocalGate({ config: input, port, ...persist }),
    gatePortTaken(port),
  ).catch(async (error) => {
    await demo?.close()
    throw error
  })
  console.log(greeting(gate, demo, config.routes.length))
  const isStopping = stopOnSignal(async () => {
    await gate.close()
    await demo?.close()
  })
  await gate.ended
  if (isStopping()) return
  await gate.close()
  console.error('workerd has stopped unexpectedly: see its output above.')
  process.exit(1)
}

function withOrigin(config: TidegateConfig, origin: string): TidegateConfig {
  if (!Array.isArray(config?.routes)) return config
  return { ...config, routes: config.routes.map((route) => ({ ...route, origin })) }
}

async function onFreePort<Value>(open: () => Promise<Value>, taken: string): Promise<Value> {
  try {
    return await open()
  } catch (error) {
    if (!/EADDRINUSE|[Aa]ddress already in use/.test(String(error))) throw error
    throw new UsageError(taken)
  }
}

/** Returns a function that tells whether the process is stopping. */
function stopOnSignal(stop: () => Promise<void>): () => boolean {
  let isStopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, async () => {
      if (isStopping) return
      isStopping = true
      await stop()
      process.exit(0)
    })
  return () => isStopping
}

await runMain(command)
