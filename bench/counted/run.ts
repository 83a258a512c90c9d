import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startWorkerd, type Workerd } from '../../tools/workerd/run.ts'
import { type Openness, untilPlanned, unwatchedGate } from '../edge/gate.ts'
import { LOAD } from '../edge/groups.ts'
import { nginxVersion, startOrigin } from '../edge/origin.ts'
import { proxyWith, type Surroundings, worker } from '../edge/rivals.ts'
import { refusalOf, withSessions } from '../edge/run.ts'
import type { Load } from '../load/load.ts'
import { medianOf } from '../load/ratio.ts'
import { findLoader, type Slicer, slicer } from '../load/slicer.ts'
import { callgrind, callgrindVersion, type Work, workOf } from '../runtime/callgrind.ts'
import { V8_FLAGS, type WorkerCode } from '../runtime/workerd.ts'

/** What a request costs in the process of the runtime, counted instead of timed; the kernel's part is not in it. */
export interface CountedFigure extends Work {
  readonly group: 'refuse' | 'admit' | 'session'
  readonly text: string
  /** To the first of its group. */
  readonly times: Work
}

interface Variant {
  readonly group: CountedFigure['group']
  readonly text: string
  readonly isGate: boolean
  readonly code: (around: Surroundings) => Promise<WorkerCode>
}

const gate = {
  isGate: true,
  code: ({ origin, openness }: Surroundings) => unwatchedGate(origin, openness),
}
const bare = (name: string) => ({
  isGate: false,
  code: (around: Surroundings) => worker(name, around),
})
const sameBytes = (...parts: string[]) => ({
  isGate: false,
  code: (around: Surroundings) => proxyWith(parts, around),
})

const VARIANTS: readonly Variant[] = [
  { group: 'refuse', text: 'refusing: a bare Worker, the same answer', ...bare('bare-refusal') },
  { group: 'refuse', text: '… Tidegate', ...gate },
  { group: 'refuse', text: '… hono-rate-limiter', ...bare('hono-rate-limiter') },
  { group: 'admit', text: 'a new session: a bare proxy', ...bare('bare-proxy') },
  { group: 'admit', text: '… that sends and answers the same', ...sameBytes('headers', 'cookie') },
  { group: 'admit', text: '… Tidegate', ...gate },
  { group: 'session', text: 'a known session: a bare proxy', ...bare('bare-proxy') },
  { group: 'session', text: '… that sends the same', ...sameBytes('headers') },
  { group: 'session', text: '… Tidegate', ...gate },
]

/** Slow under callgrind: with more at once some would last, and be watched over. */
const CONNECTIONS = 4
const WARM_UP_MS = 25_000
/** The middle one of so many: a collection of the whole heap may fall into one. */
const WINDOWS = 3
const WINDOW_MS = 7000
/** Often enough for a report each second. */
const QUIET_EVERY_MS = 400

export async function runCounted(say: (text: string) => void): Promise<readonly CountedFigure[]> {
  if ((await callgrindVersion()) === null) {
    say('valgrind is not installed (Debian: apt-get install valgrind): nothing can be counted')
    return []
  }
  const origin = await startOrigin((await nginxVersion()) !== null)
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-counted-'))
  try {
    const refusal = await refusalOf(origin.url)
    const counted: Omit<CountedFigure, 'times'>[] = []
    for (const [i, variant] of VARIANTS.entries()) {
      say(`counting ${i + 1} of ${VARIANTS.length}, ${variant.text}`)
      const openness: Openness = variant.group === 'refuse' ? 'shut' : 'open'
      const around = { origin: origin.url, refusal, openness }
      const file = join(folder, `work${i}`)
      const work = await countOne(variant, around, file)
      counted.push({ group: variant.group, text: variant.text, ...work })
    }
    return counted.map((figure) => ({ ...figure, times: timesFirst(figure, counted) }))
  } finally {
    await origin.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function timesFirst(
  { group, instructions, cycles }: Omit<CountedFigure, 'times'>,
  all: readonly Omit<CountedFigure, 'times'>[],
): Work {
  const first = all.find((figure) => figure.group === group)!
  return { instructions: instructions / first.instructions, cycles: cycles / first.cycles }
}

async function countOne(variant: Variant, around: Surroundings, file: string): Promise<Work> {
  const code = { name: 'counted', ...(await variant.code(around)) }
  const server = await startWorkerd([code], { v8Flags: V8_FLAGS, under: callgrind(file) })
  try {
    const url = server.urlOf('counted')
    if (variant.isGate) await untilPlanned(url, around.openness)
    const load = await loadOf(variant, url)
    const slice = slicer(await findLoader(), `${file}-load.lua`, load)
    await slice(url, WARM_UP_MS)
    return await perRequest(server, file, slice)
  } finally {
    await server.close()
  }
}

async function loadOf({ group, isGate }: Variant, url: string): Promise<Load> {
  const load = { ...LOAD, connections: CONNECTIONS }
  if (group !== 'session') return load
  if (isGate) return { ...load, cookies: (await withSessions(url)).cookies }
  // As long as the gate's.
  const cookie = `tidegate-site=1.mwk20u6v.mwk20u6v.visitors.${'x'.repeat(22)}`
  return {
    ...load,
    cookies: [...Array(1000).keys()].map((i) => `${cookie}; visitor=${100_000 + i}`),
  }
}

/** What happens once a second, whatever the load, is in a quiet time as well, and taken off. */
async function perRequest({ pid, urlOf }: Workerd, file: string, slice: Slicer): Promise<Work> {
  const url = urlOf('counted')
  let asked = 0
  const quiet = await workOf(pid, file, async () => {
    for (const untilMs = Date.now() + WINDOW_MS; Date.now() < untilMs; asked++) {
      await (await fetch(`${url}${LOAD.path}`, { headers: LOAD.headers })).arrayBuffer()
      await sleep(QUIET_EVERY_MS)
    }
  })
  const each: Work[] = []
  for (let i = 0; i < WINDOWS; i++) {
    let requests = 0
    const busy = await workOf(pid, file, async () => {
      requests = (await slice(url, WINDOW_MS)).requests
    })
    each.push({
      instructions: (busy.instructions - quiet.instructions) / (requests - asked),
      cycles: (busy.cycles - quiet.cycles) / (requests - asked),
    })
  }
  return {
    instructions: medianOf(each.map(({ instructions }) => instructions)),
    cycles: medianOf(each.map(({ cycles }) => cycles)),
  }
}
