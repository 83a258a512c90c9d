import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LocalGate, startLocalGate } from '../local-gate.ts'
import { PACKAGE_ROOT } from '../package-root.ts'
import { coinsOf } from '../random.ts'
import { type ChaosResult, Evidence } from './evidence.ts'
import { type Fault, ORIGIN_NAME, type Part, type ScheduledFault, scheduleOf } from './faults.ts'
import { Operator } from './operator.ts'
import { ChaosOrigin } from './origin.ts'
import { Visitors } from './visitors.ts'

export interface ChaosOptions {
  readonly seed: number
  /** How long faults come. */
  readonly seconds: number
  /** How long the gate learns before. */
  readonly warmUpS: number
  /** The parts that fail. @default all. If only the origin fails, no count may be lost. */
  readonly parts?: readonly Part[]
  /** A folder with what a gate has learned before: see `learnIn`. @default nothing */
  readonly learned?: string
  /** In the form of the configuration. @default that of a route that names none */
  readonly learner?: unknown
  readonly say?: (line: string) => void
}

const SECRETS = {
  TIDEGATE_SECRET: 'the secret of a chaos run, the same after each start',
  TIDEGATE_ADMIN_TOKEN: 'the token of a chaos run',
}
const TICK_MS = 1000
/** Where the limit must be back. */
const TICKS_TO_RECOVER = 10
const AUDIT_EVERY_MS = 1500
const REPORTED_MS = 4000

/** A small flood at a gate in workerd, with a random schedule of faults: what held, and what did not. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { seed, seconds, warmUpS, say = () => {} } = options
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-chaos-'))
  if (options.learned !== undefined) await cp(options.learned, folder, { recursive: true })
  const origin = await ChaosOrigin.start()
  const start = () => startChaosGate(origin.url, folder, options.learner)
  let gate = await start()
  const operator = new Operator(() => gate)
  let isOriginFaulty = false
  const visitors = new Visitors(
    coinsOf(seed, 'visitors'),
    () => gate.url,
    () => isOriginFaulty,
  )
  const evidence = new Evidence(operator, visitors)
  try {
    await evidence.watch(warmUpS * 1000)
    evidence.endWarmUp()
    const audits = setInterval(() => void evidence.act(), AUDIT_EVERY_MS)
    const stormAt = performance.now()
    for (const planned of scheduleOf(coinsOf(seed, 'faults'), seconds * 1000, options.parts)) {
      await evidence.watch(planned.atMs - (performance.now() - stormAt))
      say(lineOf(planned))
      const { part, kind } = planned.fault
      evidence.began(planned.fault)
      if (part === 'origin') isOriginFaulty = true
      if (part === 'runtime') {
        await gate.close()
        gate = await start()
      } else if (part === 'origin') await origin.setFault(kind)
      else await operator.setFault(kind)
      await evidence.watch(planned.lastsMs)
      if (part === 'origin') await origin.setFault(null)
      if (part === 'coordinator') await operator.setFault('none')
      evidence.ended(planned.fault)
      // Answers to what was sent during the fault come a little later.
      if (part === 'origin') setTimeout(() => (isOriginFaulty = false), 500)
    }
    clearInterval(audits)
    await evidence.recover(TICKS_TO_RECOVER * TICK_MS)
    await visitors.stop()
    await evidence.drain(`${gate.url}/carrier`)
    return await evidence.result()
  } finally {
    await visitors.stop()
    await gate.close()
    await origin.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** A learner needs more time than the faults take. So a gate learns once, in this folder, for many runs. */
export async function learnIn(folder: string, seconds: number): Promise<number | null> {
  const origin = await ChaosOrigin.start()
  const gate = await startChaosGate(origin.url, folder, undefined)
  const visitors = new Visitors(
    coinsOf(1, 'learning'),
    () => gate.url,
    () => false,
  )
  try {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    const limit = await new Operator(() => gate).limit()
    await visitors.stop()
    // What is counted must be reported, or each run would begin with requests that were never settled.
    await new Promise((resolve) => setTimeout(resolve, REPORTED_MS))
    return limit
  } finally {
    await visitors.stop()
    await gate.close()
    await origin.close()
  }
}

function startChaosGate(originUrl: string, persist: string, learner: unknown): Promise<LocalGate> {
  const route = {
    name: 'site',
    match: '/*',
    origin: { url: originUrl, name: ORIGIN_NAME, timeoutMs: 5000 },
    bypass: [{ header: { 'X-Carrier': true } }],
    whenFull: 'refuse',
    verdictHeader: true,
    sla: { targetMs: 500 },
    ...(learner === undefined ? {} : { learner }),
  }
  const silent = (): void => {}
  return startLocalGate({
    ...{ config: { routes: [route], clientIp: 'none' }, port: 0, persist, secrets: SECRETS },
    ...{ entry: join(PACKAGE_ROOT, 'tools/chaos/worker.ts'), log: silent, errors: silent },
  })
}

const nameOf = ({ part, kind }: Fault): string => `${part}: ${kind}`

function lineOf({ fault, atMs, lastsMs }: ScheduledFault): string {
  const length = lastsMs === 0 ? '' : ` for ${(lastsMs / 1000).toFixed(1)} s`
  return `  ${(atMs / 1000).toFixed(1).padStart(5)} s  ${nameOf(fault)}${length}`
}
