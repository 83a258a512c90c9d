import { createLearner } from '../../src/learners/registry.ts'
import { poisson } from '../clients/arrivals.ts'
import { constantRate } from '../clients/rates.ts'
import { singleRequests } from '../clients/single-requests.ts'
import { around, uniform } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import type { Ruling, TraceLine } from '../gate/run-plant.ts'
import type { Change } from '../origins/changes.ts'
import { station } from '../origins/station.ts'
import { meanMs, meanOf } from './from-trace.ts'

/** Λ_static of Mathur et al. 2009, §II-A, requests per second. */
export const CAPACITY = 13
const SERVERS = 4
const SERVICE_MS = (SERVERS * 1000) / CAPACITY

/**
 * The CPU-bound scripts of Mathur et al. 2009, §IV. Four servers with nearly constant service
 * match the paper's figures: at most 13 requests/s, 400 ms at 10 requests/s, the highest power near
 * 10. Clients leave after waiting 10 to 30 s. With more than 40 requests inside the server
 * thrashes, so that goodput falls in overload.
 */
export function lqrSite(offered: number, changes: readonly Change[] = []): Plant {
  return {
    granularity: 'request',
    sla: { percentile: 95, targetMs: 2000, windowMs: 60_000 },
    origin: station({
      servers: SERVERS,
      slowdown: (present) => 1 + Math.max(0, present - 40) / 200,
    }),
    clients: singleRequests({
      arrivals: poisson(constantRate(offered)),
      demand: around({ mean: SERVICE_MS, spread: 0.2 }),
      patience: uniform({ from: 10_000, to: 30_000 }),
    }),
    changes,
  }
}

/** Eq. 1: goodput as a share of the capacity, divided by response time in service times. */
export function powerOf(trace: readonly TraceLine[]): number {
  const goodput = meanOf(trace, ({ sample }) => sample.goodput)
  const responseMs = meanMs(trace)
  return responseMs === 0 ? 0 : goodput / CAPACITY / (responseMs / SERVICE_MS)
}

const learner = (name: string, options: Readonly<Record<string, unknown>> = {}): Ruling => ({
  learner: () => createLearner({ name, options }).learner,
})

export const fixedRate = (limit: number): Ruling => learner('fixed', { limit })

/** The paper's operating point, which it found by experiment. The product finds its own. */
export const paperLqr = (): Ruling => learner('lqr', { rate: 10, responseMs: 400, goodput: 9.6 })
export const ownLqr = (): Ruling => learner('lqr')
export const socLqr = (): Ruling => learner('soc-lqr')
