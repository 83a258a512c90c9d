import { OBJECTS } from '../../tools/as-deployed.ts'
import { bundleWorker } from '../../tools/bundle.ts'
import { gateConfig, SECRETS } from '../edge/gate.ts'
import { medianOf } from '../load/ratio.ts'
import { inOrder } from '../load/turns.ts'
import { cpuMs } from '../runtime/process.ts'
import { startWorkerd, type WorkerOptions } from '../runtime/workerd.ts'

/** Nothing listens there. It is never called, because the gate refuses the request. */
const NOWHERE = 'http://127.0.0.1:9'

/** A lone visitor gets in under any limit, but not where the room is closed. */
const CLOSED = { events: [{ name: 'over', closes: '2000-01-01T00:00', zone: 'UTC' }] }

/** Processor time in addition to that of an empty Worker. */
export interface StartUp {
  /** Until the module is loaded and the configuration checked: what Cloudflare counts as start-up. */
  readonly loadedMs: number
  /** Until the first response, because the first request creates the gate. */
  readonly answeredMs: number
}

export async function startUpCpu(rounds: number): Promise<StartUp> {
  const { routes } = gateConfig(NOWHERE, 'shut')
  const refusing = { routes: routes.map((route) => ({ ...route, waitingRoom: CLOSED })) }
  const options = { texts: SECRETS, objects: OBJECTS }
  const variants: readonly Variant[] = [
    { code: EMPTY, options, spent: [] },
    { code: await bundleWorker(refusing), options, spent: [] },
  ]
  for (let round = 0; round < rounds; round++)
    for (const variant of inOrder(variants, round)) variant.spent.push(await startOnce(variant))
  const [empty, gate] = variants.map(({ spent }) => ({
    loadedMs: medianOf(spent.map(({ loadedMs }) => loadedMs)),
    answeredMs: medianOf(spent.map(({ answeredMs }) => answeredMs)),
  }))
  return {
    loadedMs: gate!.loadedMs - empty!.loadedMs,
    answeredMs: gate!.answeredMs - empty!.answeredMs,
  }
}

interface Variant {
  readonly code: string
  readonly options: WorkerOptions
  readonly spent: StartUp[]
}

const EMPTY = `import { DurableObject } from 'cloudflare:workers'
export class Coordinator extends DurableObject {}
export class Relay extends DurableObject {}
export default { fetch: () => new Response(null, { status: 503 }) }`

async function startOnce({ code, options }: Variant): Promise<StartUp> {
  const server = await startWorkerd(code, options)
  try {
    const loadedMs = cpuMs(server.pids)
    const { status } = await fetch(server.url)
    if (status !== 503) throw new Error(`start-up: expected a refusal, got ${status}`)
    return { loadedMs, answeredMs: cpuMs(server.pids) }
  } finally {
    await server.close()
  }
}
