import { setTimeout as sleep } from 'node:timers/promises'
import type { TidegateConfig } from '../../src/config/user-config.ts'
import { OBJECTS } from '../../tools/as-deployed.ts'
import { bundleWorker } from '../../tools/bundle.ts'
import { bundle } from '../runtime/bundle.ts'
import type { WorkerCode } from '../runtime/workerd.ts'

export const SECRETS = {
  TIDEGATE_SECRET: 'a secret of the benchmark, long enough to be one',
  TIDEGATE_ADMIN_TOKEN: "the benchmark's admin token",
}

/** New sessions per second: so few that nearly all are refused, or more than the load. */
export type Openness = 'shut' | 'open'

/** The gate of a shop: sessions, three classes (by path, by cookie, the rest), a fixed limit. */
export function gateConfig(origin: string, openness: Openness): TidegateConfig {
  return {
    routes: [
      {
        match: '/*',
        origin,
        classes: [
          { name: 'checkout', value: 10, match: { path: '/checkout/*' } },
          { name: 'members', value: 3, match: { cookie: { member: true } } },
          { name: 'visitors' },
        ],
        learner: { name: 'fixed', limit: openness === 'shut' ? 0.01 : 1_000_000 },
      },
    ],
  }
}

const AROUND_IT = { texts: SECRETS, objects: OBJECTS }

/** The deployed Worker. */
export async function gate(origin: string, openness: Openness): Promise<WorkerCode> {
  return { code: await bundleWorker(gateConfig(origin, openness)), ...AROUND_IT }
}

/** The same as middleware in a Hono app. */
export async function middleware(origin: string, openness: Openness): Promise<WorkerCode> {
  const { code } = await bundle('bench/edge/workers/gate-middleware.ts', {
    ORIGIN: origin,
    CONFIG: gateConfig(origin, openness),
  })
  return { code, ...AROUND_IT }
}

/** A new isolate admits 20 visitors until its first plan arrives, and goes on with space for random bursts. */
export async function untilPlanned(url: string, openness: Openness): Promise<void> {
  const expected = openness === 'shut' ? 503 : 200
  for (let tries = 0, inRow = 0; inRow < 30; tries++) {
    if (tries === 400) throw new Error(`The gate does not come to answer ${expected}`)
    const { status } = await fetch(url)
    inRow = status === expected ? inRow + 1 : 0
    await sleep(50)
  }
}
