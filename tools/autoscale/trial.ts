import { runCrowd } from '../crowd/run.ts'
import { startDemoOrigin } from '../demo-origin.ts'
import { startLocalGate } from '../local-gate.ts'
import { Autoscaler } from './autoscaler.ts'
import { DEMO_CAPACITY } from './demo-config.ts'
import { DEMO_SERVER } from './demo-server.ts'
import { doublingCrowd } from './doubling-crowd.ts'
import { type AutoscaleStep, StepCounts } from './step-counts.ts'

export interface AutoscaleOptions {
  readonly pagesPerSecond: number
  readonly doublings: number
  readonly stepS: number
  /** How much longer the last step lasts. */
  readonly holdS: number
  /** Afterwards, time at the rate of the first step, in which servers drain while sessions go on. */
  readonly calmS: number
  readonly seed: number
  /** How fast servers follow. @default as in `npm start -- --autoscale` */
  readonly pace?: AutoscalePace
  readonly say?: (line: string) => void
}

/** In seconds, as in the configuration of `capacity`. */
interface AutoscalePace {
  readonly startupS: number
  readonly everyS: number
  readonly pauseS: number
}

const DEMO_PACE: AutoscalePace = { ...DEMO_CAPACITY.react, startupS: DEMO_CAPACITY.startupS }

export interface AutoscaleResult {
  readonly steps: readonly AutoscaleStep[]
  /** Sessions that were admitted, and of these the ones that later failed, were refused or gave up. */
  readonly admitted: number
  readonly broken: number
  readonly mostServers: number
  /** Servers at the end of the calm time. */
  readonly serversAfter: number
}

const TARGET_MS = 1000
const PATIENCE_MS = 10_000
const SAMPLE_MS = 250

/** The demo with an autoscaler, in a flood that doubles: how the capacity follows. */
export async function runAutoscale(options: AutoscaleOptions): Promise<AutoscaleResult> {
  const { doublings, stepS, holdS, calmS, say, pace = DEMO_PACE } = options
  const { startupS, everyS, pauseS } = pace
  const origin = await startDemoOrigin({ port: 0, ...DEMO_SERVER })
  const route = {
    match: '/*',
    name: 'site',
    origin: origin.url,
    sla: { targetMs: TARGET_MS },
    session: { idleMs: 60_000 },
    capacity: { ...DEMO_CAPACITY, startupS, react: { ...DEMO_CAPACITY.react, everyS, pauseS } },
  }
  const gate = await startLocalGate({
    config: { routes: [route] },
    port: 0,
    log: () => {},
  })
  const autoscaler = new Autoscaler({
    ...{ gate, route: 'site', tier: 'app', firstUrl: origin.url, startupMs: 1000 * startupS },
    ...(say ? { say } : {}),
  })
  autoscaler.run()
  const count = new StepCounts(doublings + 1, stepS * 1000, holdS * 1000)
  let mostServers = 1
  const sampling = setInterval(() => {
    mostServers = Math.max(mostServers, autoscaler.servers)
    count.servers(autoscaler.servers)
  }, SAMPLE_MS)
  try {
    await runCrowd(
      {
        target: gate.url,
        sessions: doublingCrowd({ ...options, thinkMs: 1000 }),
        seconds: stepS * (doublings + 1) + holdS + calmS,
        patienceMs: PATIENCE_MS,
        retry: { kind: 'never', most: 0 },
        mostSockets: 2000,
        userAgent: 'tidegate-autoscale',
      },
      (nowMs) => count.listen(nowMs),
      new AbortController().signal,
    )
    const { servers: serversAfter } = autoscaler
    const { admitted, broken } = count
    return {
      steps: count.steps(options.pagesPerSecond),
      admitted,
      broken,
      mostServers,
      serversAfter,
    }
  } finally {
    clearInterval(sampling)
    await autoscaler.close()
    await gate.close()
    await origin.close()
  }
}
