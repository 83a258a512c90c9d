import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Load, LoadRequest } from '../load/load.ts'
import { medianOf, pairedRatio, type Ratio } from '../load/ratio.ts'
import { findLoader, type Slicer, slicer } from '../load/slicer.ts'
import { type Runner, type Series, type Timing, takeTurns } from '../load/turns.ts'
import { keepOn } from '../runtime/cores.ts'
import type { Server } from '../runtime/process.ts'
import { startWorkers, type WorkerCode } from '../runtime/workerd.ts'
import { checkAnswer, checkSlice } from './check.ts'
import { gate, untilPlanned } from './gate.ts'
import { type Group, LOAD, type Variant } from './groups.ts'
import { nginxVersion, startOrigin } from './origin.ts'
import { type Refusal, readRefusal } from './refusal.ts'
import type { Surroundings } from './rivals.ts'

export interface EdgeFigure {
  readonly group: Group['name']
  readonly variant: string
  readonly text: string
  /** Requests per second, relative to the variant that it is compared with. */
  readonly ratio: Ratio
  /** Processor time of that variant, relative to its own. */
  readonly cpuRatio: Ratio
  /** Requests per second of the gate, relative to this rival; null: it is no rival. */
  readonly gateTimes: Ratio | null
  readonly perSecond: number
  readonly cpuUs: number
}

/** `cycles` is the number in each round. */
export interface EdgeTiming extends Timing {
  readonly rounds: number
}

interface Stage {
  readonly origin: string
  readonly refusal: Refusal
  readonly timing: EdgeTiming
  readonly slicerFor: (name: string, load: Load) => Slicer
  readonly say: (text: string) => void
}

/** Whole requests through real sockets. The variants are loaded in turn. */
export async function runEdge(
  groups: readonly Group[],
  timing: EdgeTiming,
  say: (text: string) => void,
): Promise<readonly EdgeFigure[]> {
  const nginx = (await nginxVersion()) !== null
  const loader = await findLoader()
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-load-'))
  const origin = await startOrigin(nginx)
  keepOn('others', [process.pid, ...origin.pids])
  try {
    const stage: Stage = {
      origin: origin.url,
      refusal: await refusalOf(origin.url),
      timing,
      slicerFor: (name, load) => slicer(loader, join(folder, `${name}.lua`), load),
      say,
    }
    const figures: EdgeFigure[] = []
    for (const group of groups) {
      const variants = group.variants.filter((variant) => nginx || !variant.nginx)
      figures.push(...(await runGroup({ ...group, variants }, stage)))
    }
    return figures
  } finally {
    await origin.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The response of the gate, which all other variants give, too. */
async function refusalOf(origin: string): Promise<Refusal> {
  const [server] = await startWorkers([await gate(origin, 'shut')])
  try {
    await untilPlanned(server!.url, 'shut')
    return await readRefusal(await ask(server!.url, LOAD))
  } finally {
    await server!.close()
  }
}

/** Each round starts new isolates, because one may be faster than another for as long as it lives. */
async function runGroup(group: Group, stage: Stage): Promise<readonly EdgeFigure[]> {
  const { rounds } = stage.timing
  const all = new Map<string, Series>()
  for (let round = 1; round <= rounds; round++) {
    stage.say(`${group.name}: round ${round} of ${rounds}, ${group.variants.length} variants`)
    for (const [name, { perSecond, cpuUs }] of await runRound(group, stage)) {
      const known = all.get(name) ?? { perSecond: [], cpuUs: [] }
      known.perSecond.push(...perSecond)
      known.cpuUs.push(...cpuUs)
      all.set(name, known)
    }
  }
  return group.variants.map((variant) => figureOf(group, variant, all))
}

async function runRound(group: Group, stage: Stage): Promise<ReadonlyMap<string, Series>> {
  const { origin, refusal, timing } = stage
  const { name, openness, variants } = group
  const servers = new Map<string, Server>()
  try {
    await startAll(variants, { origin, refusal, openness }, servers)
    const load = name === 'session' ? await withSessions(servers.get('gate')!.url) : LOAD
    for (const variant of variants) {
      const { url } = servers.get(variant.name)!
      await (await ask(url, load)).arrayBuffer() // A limiter admits its first request.
      await checkAnswer(group, variant.name, await ask(url, load), refusal)
    }
    const slice = stage.slicerFor(name, load)
    const runners = variants.map((variant) =>
      runnerOf(group, variant, servers.get(variant.name)!, slice),
    )
    return await takeTurns(runners, timing, (cycle) => {
      if (cycle > 0 && cycle % 10 === 0) stage.say(`${name}: cycle ${cycle} of ${timing.cycles}`)
    })
  } finally {
    for (const server of servers.values()) await server.close()
  }
}

async function startAll(
  variants: readonly Variant[],
  around: Surroundings,
  servers: Map<string, Server>,
): Promise<void> {
  const names: string[] = []
  const workers: WorkerCode[] = []
  for (const { name, runs } of variants)
    if ('code' in runs) {
      names.push(name)
      workers.push(await runs.code(around))
    } else servers.set(name, await runs.start(around))
  const started = await startWorkers(workers)
  for (const [i, name] of names.entries()) servers.set(name, started[i]!)
  keepOn('measured', [...new Set([...servers.values()].flatMap(({ pids }) => pids))])
  for (const { name, runs } of variants)
    if ('code' in runs && runs.isPlanned)
      await untilPlanned(servers.get(name)!.url, around.openness)
}

/** The first of the requests that will be sent. */
function ask(url: string, { headers, requests: [first] }: Load): Promise<Response> {
  return send(url, headers, first!)
}

function send(url: string, headers: Load['headers'], { path, cookie }: LoadRequest) {
  return fetch(`${url}${path}`, { headers: { ...headers, Cookie: cookie } })
}

function figureOf(
  { name: group }: Group,
  { name: variant, to, text, isRival }: Variant,
  series: ReadonlyMap<string, Series>,
): EdgeFigure {
  const own = series.get(variant)!
  const other = series.get(to)!
  return {
    group,
    variant,
    text,
    ratio: pairedRatio(own.perSecond, other.perSecond),
    cpuRatio: pairedRatio(other.cpuUs, own.cpuUs),
    gateTimes: isRival ? pairedRatio(series.get('gate')!.perSecond, own.perSecond) : null,
    perSecond: medianOf(own.perSecond),
    cpuUs: medianOf(own.cpuUs),
  }
}

function runnerOf(group: Group, { name }: Variant, { url, pids }: Server, slice: Slicer): Runner {
  return {
    name,
    pids,
    slice: (ms) => slice(url, ms),
    check: (done) => checkSlice(group, name, done),
  }
}

/** The same visitors with a session each. */
async function withSessions(gate: string): Promise<Load> {
  const { headers } = LOAD
  const requests: LoadRequest[] = []
  for (const { path, cookie } of LOAD.requests) {
    const response = await send(gate, headers, { path, cookie })
    await response.arrayBuffer()
    const session = response.headers.get('Set-Cookie')!.split(';')[0]!
    requests.push({ path, cookie: `${cookie}; ${session}` })
  }
  return { ...LOAD, requests }
}
