import { createLearner } from '../../src/learners/registry.ts'
import { SocLearner } from '../../src/learners/soc/learner.ts'
import { type ArrivalsFactory, poisson } from '../clients/arrivals.ts'
import { constantRate } from '../clients/rates.ts'
import { exponential } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import { plantS } from '../gate/plants.ts'
import type { Ruling } from '../gate/run-plant.ts'
import type { Change } from '../origins/changes.ts'
import { station } from '../origins/station.ts'
import { byProbability } from './by-probability.ts'

interface SocShopOptions {
  readonly sessionsPerSecond?: number
  /** Replaces the constant rate. */
  readonly arrivals?: ArrivalsFactory
  /** Their number, or their speeds. */
  readonly servers?: number | readonly number[]
  readonly slaMs?: number
  readonly changes?: readonly Change[]
}

/**
 * (Bartolini et al. 2009, §7): 20 database servers of 1 s each, exponential; visitors leave after 8
 * s; the SLA is a 95th percentile of 5 s. The two tiers before the database, of 1 and 10 ms, are
 * left out, as in the paper's analysis. Abandoned requests are still served: in Fig. 19 the
 * percentile exceeds 8 s. Such a database takes 2.05 sessions per second. Without any queue its
 * percentile is 3.0 s.
 */
export function socShop(options: SocShopOptions): Plant {
  const { servers = 20, slaMs = 5000, changes = [] } = options
  const plant = plantS({
    arrivals: options.arrivals ?? poisson(constantRate(options.sessionsPerSecond ?? OVERLOAD)),
    service: exponential({ mean: 1000 }),
    sla: { percentile: 95, targetMs: slaMs, windowMs: 300_000 },
    changes,
  })
  return { ...plant, origin: station({ servers, noticesAbandonment: false }) }
}

/**
 * Stands for the 2.3 sessions/s of Fig. 9. The paper does not say how it maps phases to tiers, so
 * its capacity is unknown. With our mapping 2.3/s are only 1.12 times the capacity, and neither
 * TBAC nor PAC fails. At 2.2 times the capacity both fail at the same SLAs as in the paper.
 */
export const OVERLOAD = 4.5

/** 95th percentile if no request ever waits: 1 s ln 20. */
const IDLE_P95_MS = 1000 * Math.log(20)

/** What the paper measures offline. */
const BENCH = { benchMs: Math.round(IDLE_P95_MS) }

interface SocPolicies {
  /** T_AC. @default the paper's: 60 s for SOC, 10 s for the others */
  readonly periodMs?: number
  readonly slaMs?: number
}

const learner = (name: string, options: Readonly<Record<string, unknown>>): Ruling => ({
  learner: () => createLearner({ name, options }).learner,
})

/** Enforced by random draws, as in the paper. */
export const soc = ({ periodMs = 60_000 }: SocPolicies = {}, more = {}): Ruling => {
  const options = { ...BENCH, iterationMs: periodMs, ...more }
  return { policy: byProbability(() => new SocLearner(options)) }
}

export const tbac = ({ periodMs = 10_000 }: SocPolicies = {}): Ruling =>
  learner('tbac', { intervalMs: periodMs })

/** RT_low^PAC is 3 s for every SLA. With an SLA of 3 s its line would have no length. */
export const pac = ({ periodMs = 10_000, slaMs = 5000 }: SocPolicies = {}): Ruling =>
  learner('pac', { intervalMs: periodMs, low: Math.min(0.99, 3000 / slaMs) })

/** The product's default learner, which the papers do not contain. */
export const socLqr = (): Ruling => learner('soc-lqr', {})
