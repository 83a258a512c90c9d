import { bundleWorker } from '../../tools/bundle.ts'
import { gateConfig, OBJECTS, SECRETS } from '../edge/gate.ts'
import { medianOf } from '../load/ratio.ts'
import { inOrder } from '../load/turns.ts'
import { cpuMs } from '../runtime/process.ts'
import { startWorkerd, type WorkerOptions } from '../runtime/workerd.ts'

/** Nobody listens there, and nobody is asked: the answer is a refusal of our own. */
const NOWHERE = 'http://127.0.0.1:9'

/**
 * Processor time from nothing to the first answer, beyond that of a Worker with nothing in it: loading the
 * module, checking the configuration, making the gate.
 */
export async function startUpCpuMs(rounds: number): Promise<number> {
  const { routes } = gateConfig(NOWHERE, 'shut')
  const refusing = { routes: routes.map((route) => ({ ...route, startup: 'refuse' })) }
  const variants = [
    { code: 'export default { fetch: () => new Response(null, { status: 503 }) }', options: {} },
    { code: await bundleWorker(refusing), options: { texts: SECRETS, objects: OBJECTS } },
  ]
  const spentMs: number[][] = variants.map(() => [])
  for (let round = 0; round < rounds; round++)
    for (const { code, options } of inOrder(variants, round))
      spentMs[variants.findIndex((variant) => variant.code === code)]!.push(
        await firstAnswerCpuMs(code, options),
      )
  return medianOf(spentMs[1]!) - medianOf(spentMs[0]!)
}

async function firstAnswerCpuMs(code: string, options: WorkerOptions): Promise<number> {
  const server = await startWorkerd(code, options)
  try {
    const { status } = await fetch(server.url)
    if (status !== 503) throw new Error(`start-up: expected a refusal, got ${status}`)
    return cpuMs(server.pids)
  } finally {
    await server.close()
  }
}
