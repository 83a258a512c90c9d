import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { TidegateConfig } from '../../src/config/user-config.ts'
import { warningsText } from '../../src/config/warnings/warning.ts'
import { configWarnings } from '../../src/config/warnings/warnings.ts'
import { LEARNER_OPTIONS } from '../../src/learners/option-tables.ts'
import { onParentEnd } from '../../tools/child.ts'
import { loadConfigFile } from '../../tools/load-config.ts'
import { type LocalGate, startLocalGate } from '../../tools/local-gate.ts'
import { IS_REPOSITORY, PACKAGE_ROOT } from '../../tools/package-root.ts'
import { reachOrigins } from '../../tools/reach.ts'
import {
  DEFAULT_PORT,
  DEMO_PORT,
  demoPortTaken,
  gatePortTaken,
  greeting,
} from '../../tools/start-texts.ts'
import { CliError, command, type Output, UsageError } from '../command.ts'
import { readDevVars, removeLocal, writeLocal } from '../local.ts'

const CONFIG = 'tidegate.config.ts'
const DEMO_ADDRESS = `http://127.0.0.1:${DEMO_PORT}`

export default command({
  description: 'Run the gate in workerd on this machine',
  examples: [
    { line: 'dev', text: `with ${CONFIG}` },
    { line: 'dev --origin http://127.0.0.1:3000', text: 'in front of a server on this machine' },
    { line: 'dev --config shop.ts --port 8790', text: 'another file, another port' },
  ],
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
      description: 'Protect this origin, whatever the configuration says',
      valueHint: 'URL',
    },
    autoscale: {
      type: 'boolean',
      description: 'Start and stop demo servers as the gate wants them (repository only)',
    },
    persist: {
      type: 'string',
      description: 'Store what is learned in this folder',
      valueHint: 'DIR',
    },
  },
  async run(args, output) {
    await start(args, output)
    return null
  },
})

interface Args {
  readonly config?: string | undefined
  readonly port: string
  readonly origin?: string | undefined
  readonly autoscale?: boolean | undefined
  readonly persist?: string | undefined
  readonly json: boolean
}

async function start(args: Args, output: Output): Promise<void> {
  const port = portOf(args.port)
  const input = args.autoscale ? await autoscaled(await inputOf(args)) : await inputOf(args)
  const config = loadConfig(input, { origin: 'required', learners: LEARNER_OPTIONS })
  const needsDemo = config.routes.some(({ origin }) =>
    origin?.servers.some(({ url }) => url.replace(/\/$/, '') === DEMO_ADDRESS),
  )
  if (args.autoscale && !(needsDemo && IS_REPOSITORY)) throw new UsageError(ONLY_DEMO)
  const demo = needsDemo ? await startDemo(args.autoscale === true) : null
  const folder = process.cwd()
  const persist = args.persist === undefined ? {} : { persist: resolve(args.persist) }
  const gate = await onFreePort(
    () => startLocalGate({ config: input, port, ...persist, ...secretsOf(folder) }),
    gatePortTaken(port),
  ).catch(async (error) => {
    await demo?.close()
    throw error
  })
  const autoscaler = args.autoscale ? await startAutoscaler(config, gate, output) : null
  const isStopping = stopAtEnd(async () => {
    removeLocal(folder, process.pid)
    await autoscaler?.close()
    await gate.close()
    await demo?.close()
  })
  writeLocal(folder, { url: gate.url, token: gate.adminToken, pid: process.pid })
  const reached = await reachOrigins(config)
  if (args.json) {
    const json = { url: gate.url, token: gate.adminToken, origins: Object.fromEntries(reached) }
    output.write(`${JSON.stringify(json)}\n`)
  } else {
    output.write(`${greeting({ gate, demo, config, reached, hasFlood: IS_REPOSITORY })}\n`)
    const warnings = warningsText(configWarnings(config))
    if (warnings !== '') output.warn(`${warnings}\n`)
  }
  await gate.ended
  if (isStopping()) return
  removeLocal(folder, process.pid)
  await gate.close()
  throw new CliError('workerd has stopped unexpectedly: see its output above.')
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port
  throw new UsageError(`--port: expected a whole number from 0 to 65535, got "${text}".`)
}

async function inputOf({ config, origin }: Args): Promise<TidegateConfig> {
  const file = resolve(config ?? CONFIG)
  if (config === undefined && !existsSync(file)) {
    if (origin !== undefined) return { routes: [{ match: '/*', origin }] }
    throw new CliError(
      `There is no ${CONFIG} in this folder. Write one with "tidegate init", or protect a server at once with --origin URL.`,
    )
  }
  const written = (await loadConfigFile(file)) as TidegateConfig
  if (origin === undefined || !Array.isArray(written?.routes)) return written
  return { ...written, routes: written.routes.map((route) => ({ ...route, origin })) }
}

/** Only the repository has the demo. Elsewhere the address is just an origin that cannot be reached. */
async function startDemo(isAutoscaled: boolean) {
  if (!IS_REPOSITORY) return null
  const file = join(PACKAGE_ROOT, 'tools/demo-origin.ts')
  const { startDemoOrigin } = (await import(file)) as typeof import('../../tools/demo-origin.ts')
  return await onFreePort(
    async () => startDemoOrigin({ port: DEMO_PORT, ...(isAutoscaled ? await demoServer() : {}) }),
    demoPortTaken(),
  )
}

const ONLY_DEMO =
  '--autoscale: only the demo origin can be autoscaled here. For your own site see docs/capacity.md.'

const AUTOSCALE = join(PACKAGE_ROOT, 'tools/autoscale')

async function autoscaled(input: TidegateConfig): Promise<TidegateConfig> {
  if (!IS_REPOSITORY) throw new UsageError(ONLY_DEMO)
  const { withCapacity } = (await import(
    join(AUTOSCALE, 'demo-config.ts')
  )) as typeof import('../../tools/autoscale/demo-config.ts')
  return withCapacity(input)
}

async function demoServer() {
  const { DEMO_SERVER } = (await import(
    join(AUTOSCALE, 'demo-server.ts')
  )) as typeof import('../../tools/autoscale/demo-server.ts')
  return DEMO_SERVER
}

/** Follows the first route to the demo origin. */
async function startAutoscaler(config: Config, gate: LocalGate, output: Output) {
  const { Autoscaler } = (await import(
    join(AUTOSCALE, 'autoscaler.ts')
  )) as typeof import('../../tools/autoscale/autoscaler.ts')
  const route = config.routes.find(({ origin }) =>
    origin?.servers.some(({ url }) => url === DEMO_ADDRESS),
  )!
  const { name: tier } = route.capacity!.tiers[0]!
  const autoscaler = new Autoscaler({
    ...{ gate, route: route.name, tier, firstUrl: DEMO_ADDRESS },
    startupMs: route.capacity!.startupS * 1000,
    say: (line) => output.write(`${line}\n`),
  })
  autoscaler.run()
  return autoscaler
}

/** The secrets of `.dev.vars`, so that sessions survive a restart. Without them new ones are made. */
function secretsOf(folder: string): { secrets?: Readonly<Record<string, string>> } {
  const vars = readDevVars(folder)
  const isComplete = Boolean(vars.TIDEGATE_SECRET && vars.TIDEGATE_ADMIN_TOKEN)
  return isComplete ? { secrets: vars } : {}
}

async function onFreePort<Value>(open: () => Promise<Value>, taken: string): Promise<Value> {
  try {
    return await open()
  } catch (error) {
    if (!/EADDRINUSE|[Aa]ddress already in use/.test(String(error))) throw error
    throw new CliError(taken)
  }
}

/** Stops on a signal, and when the process that started this one has ended. Returns whether it is stopping. */
function stopAtEnd(stop: () => Promise<void>): () => boolean {
  let isStopping = false
  const stopOnce = async (): Promise<void> => {
    if (isStopping) return
    isStopping = true
    await stop()
    process.exit(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopOnce)
  onParentEnd(stopOnce)
  return () => isStopping
}
