import { streams } from '../../lab/engine/random.ts'
import { loadConfig } from '../../src/config/load.ts'
import { Gate } from '../../src/gate/gate.ts'
import type { Visit } from '../../src/gate/visit.ts'
import { LEARNER_OPTIONS } from '../../src/learners/registry.ts'
import type { Runtime } from '../../src/lib/runtime.ts'
import type { CoordinatorPort } from '../../src/protocol/coordinator-port.ts'
import { Clock, coordinator, START_MS } from './clock.ts'
import {
  CLASSES,
  END_S,
  type Request as Job,
  Replay,
  requests,
  SERVER_RATE,
  SERVERS,
  TARGET_MS,
} from './gold-silver-bronze.ts'
import { SharedServer } from './shared-server.ts'

/** The experiment of Cataclysm §6.2 once more, through the gate, its isolates and the coordinator as they are. */

export interface GateReplayOptions {
  readonly police: 'threshold' | 'batch' | 'auto'
  readonly serviceMs: number
  readonly seed: number
  /** What the learner takes the origin's capacity for. @default what it is, 180/s */
  readonly limit?: number
  /** @default 1 */
  readonly isolates?: number
}

interface InOrigin {
  readonly visit: Visit
  readonly job: Job
}

export async function replayAtGate(options: GateReplayOptions): Promise<Replay> {
  const { police, serviceMs, seed, limit = SERVERS * SERVER_RATE, isolates = 1 } = options
  const random = streams(seed)
  const result = new Replay()
  const servers = Array.from({ length: SERVERS }, () => new SharedServer<InOrigin>())
  const clock = new Clock()
  const port = coordinator(clock)
  const gates = Array.from({ length: isolates }, (_, i) => {
    const coins = random(`coins of ${i}`)
    const runtime: Runtime = {
      now: () => START_MS + clock.nowMs,
      coin: () => coins.next(),
      id: () => '',
      sleep: (ms) => clock.sleep(ms),
    }
    return gateFor(police, limit, runtime, port, `isolate ${i}`)
  })
  const places = random('places')

  const serve = (visit: Visit, job: Job): void => {
    if (visit.isRefused) return
    result.admitted[job.rank]![Math.floor(job.atMs / 1000)]! += 1
    visit.begin(START_MS + clock.nowMs)
    const server = servers.reduce((least, next) => (next.size < least.size ? next : least))
    server.run(clock.nowMs, answer)
    server.enter({ visit, job }, job.serviceMs)
  }
  const answer = ({ visit, job }: InOrigin, doneMs: number): void => {
    visit.answered(ANSWER, START_MS + doneMs)
    result.responsesMs[Math.floor(job.atMs / 1000)]!.push(doneMs - job.atMs)
  }
  const runServers = (untilMs: number): void => {
    for (const server of servers) server.run(untilMs, answer)
  }

  for (const job of requests({ serviceMs, seed })) {
    await clock.runTo(job.atMs, runServers)
    runServers(job.atMs)
    result.offered[job.rank]![Math.floor(job.atMs / 1000)]! += 1
    const { gate, view } = gates[Math.floor(places.next() * isolates)]!.enter(
      new Request(`https://shop.example.com${pathOf(job)}`),
    )!
    gate.reporter.touch(BACKGROUND, START_MS + clock.nowMs)
    const decided = gate.decide(view, START_MS + clock.nowMs)
    if (decided instanceof Promise) void decided.then((visit) => serve(visit, job))
    else serve(decided, job)
  }
  await clock.runTo(END_S * 1000 + 5000, runServers)
  runServers(Number.MAX_SAFE_INTEGER)
  return result
}

const ANSWER = new Response(null)
const BACKGROUND = { waitUntil() {} }
const pathOf = ({ rank }: Job): string => `/${CLASSES[rank]}`

function gateFor(
  police: string,
  limit: number,
  runtime: Runtime,
  port: CoordinatorPort,
  sender: string,
): Gate {
  const config = loadConfig(
    {
      routes: [
        {
          name: 'site',
          match: '/*',
          origin: 'https://origin.example.com',
          granularity: 'request',
          sla: { targetMs: TARGET_MS },
          learner: { name: 'fixed', limit },
          classes: CLASSES.map((name, rank) => ({
            ...{ name, value: CLASSES.length - rank, match: { path: `/${name}` } },
          })),
          police,
        },
      ],
    },
    { origin: 'required', learners: LEARNER_OPTIONS },
  )
  return new Gate(config, {
    secrets: { current: 'a secret of the tests, long enough to be one', previous: null },
    portFor: () => port,
    cache: null,
    runtime,
    sender,
    ipOf: () => null,
  })
}
