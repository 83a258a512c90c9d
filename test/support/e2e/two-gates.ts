import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Plugin } from 'esbuild'
import { OBJECTS } from '../../../tools/as-deployed.ts'
import { bundleWorker } from '../../../tools/bundle.ts'
import { startWorkerd } from '../../../tools/workerd/run.ts'
import { type Answer, type SendOptions, send } from './client.ts'

export const GATE_SECRETS = {
  TIDEGATE_SECRET: 'the secret of two gates of the tests, long enough',
  TIDEGATE_ADMIN_TOKEN: 'the admin token of the tests',
}

const CF_HEADER = 'X-Test-Cf'
const COLOS = ['BER', 'SYD'] as const

export interface GateInColo {
  readonly url: string
  ask(path: string, options?: SendOptions): Promise<Answer>
}

export interface TwoGates {
  /** The gate in Berlin and the one in Sydney: two isolates, each with its own relay, and one coordinator. */
  readonly gates: readonly [GateInColo, GateInColo]
  close(): Promise<void>
}

/** Two isolates in two data centres, with the same configuration and the same Durable Objects. */
export async function startTwoGates(config: unknown): Promise<TwoGates> {
  const code = await bundleWorker(config)
  return startWorkers(code, code)
}

/**
 * Two versions of the Worker at once, as in a gradual deployment. The objects are of the version of the first gate.
 * `next` is the Worker of the next version: its messages have another number.
 */
export async function startTwoVersions(config: unknown, first: 'this' | 'next'): Promise<TwoGates> {
  const current = await bundleWorker(config)
  const next = await bundleWorker(config, false, undefined, [nextVersion()])
  return first === 'this' ? startWorkers(current, next) : startWorkers(next, current)
}

/** Two gates whose coordinator needs only 3 s to find calm, instead of half a minute. */
export async function startCalmGates(config: unknown): Promise<TwoGates> {
  const sooner = changed(/src\/coordinator\/calm\.ts$/, /CALM_AFTER_MS = 30_000/, () => {
    return 'CALM_AFTER_MS = 3_000'
  })
  const code = await bundleWorker(config, false, undefined, [sooner])
  return startWorkers(code, code)
}

/** Raises the versions of feedback and plan. */
const nextVersion = (): Plugin =>
  changed(
    /src\/protocol\/(feedback|plan)\.ts$/,
    /_VERSION = (\d+)/,
    (_, own) => `_VERSION = ${Number(own) + 1}`,
  )

/** Changes something in the files of the Worker. */
function changed(
  filter: RegExp,
  what: RegExp,
  into: (found: string, part: string) => string,
): Plugin {
  return {
    name: `changed ${filter}`,
    setup({ onLoad }) {
      onLoad({ filter }, async ({ path }) => {
        const code = await readFile(path, 'utf8')
        const contents = code.replace(what, into)
        if (contents === code) throw new Error(`${path} has no ${what}`)
        return { contents, loader: 'ts' }
      })
    },
  }
}

async function startWorkers(first: string, second: string): Promise<TwoGates> {
  const shared = { texts: GATE_SECRETS, objects: OBJECTS, cfHeader: CF_HEADER }
  const { urlOf, close, stderr } = await startWorkerd([
    { ...shared, code: first, name: COLOS[0] },
    { ...shared, code: second, name: COLOS[1], objectsOf: COLOS[0] },
  ])
  createInterface(stderr).on('line', (line) => console.error(line))
  const gateIn = (colo: string): GateInColo => ({
    url: urlOf(colo),
    ask: (path, options = {}) =>
      send(`${urlOf(colo)}${path}`, {
        ...options,
        headers: { ...options.headers, [CF_HEADER]: JSON.stringify({ colo }) },
      }),
  })
  return { gates: [gateIn(COLOS[0]), gateIn(COLOS[1])], close }
}
