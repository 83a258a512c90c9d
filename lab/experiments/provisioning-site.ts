import type { CapacityRules } from '../../src/config/capacity-rules.ts'
import type { Sla } from '../../src/config/config.ts'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { poisson } from '../clients/arrivals.ts'
import { steps } from '../clients/profiles.ts'
import { Agenda } from '../engine/agenda.ts'
import { exponential } from '../engine/distributions.ts'
import type { Control } from '../provisioning/control.ts'
import { HostedSite, type SiteTick } from '../provisioning/hosted-site.ts'

/**
 * A three-tier site like Rubbos and Rubis (Urgaonkar et al. 2008, §8.1). The papers' tables have service times of 20, 320
 * and 278 ms, with which one session/s takes hundreds of servers. Here the application tier is as much slower than the web
 * tier, but fewer requests are enough: sessions of 20 requests with 3 s between them, five times as short as the paper's.
 */
export const TARGET_MS = 2000
export const SESSION_REQUESTS = 20
const THINK_MS = 3000
/** A replica takes 39 s and more to start (Fig. 14). */
export const STARTUP_S = 20
export const SERVICE_MS = { web: 20, app: 60, db: 18 } as const

export const SLA: Sla = {
  percentile: 95,
  windowMs: 60_000,
  targets: [{ fromRate: 0, targetMs: TARGET_MS }],
}

interface TierChoice {
  readonly name: keyof typeof SERVICE_MS
  readonly servers: number
  readonly max?: number
}

export function rulesOf(
  tiers: readonly TierChoice[],
  react: Partial<CapacityRules['react']> = {},
  group: CapacityRules['group'] = null,
): CapacityRules {
  return {
    tiers: tiers.map(({ name, servers, max = 100 }) => ({
      ...{ name, metric: name, servers, min: 1, max, part: null, workers: 1 },
      ...{ serviceMs: null, concurrency: null },
    })),
    startupS: STARTUP_S,
    predict: DEFAULTS.capacity.predict,
    react: { ...DEFAULTS.capacity.react, ...react },
    webhook: null,
    group,
  }
}

interface SiteRun {
  readonly tiers: readonly TierChoice[]
  /** Sessions per second, by the second from which they hold. */
  readonly rates: Readonly<Record<number, number>>
  readonly seconds: number
  readonly control: Control
  readonly seed: number
}

export function runHostedSite({
  tiers,
  rates,
  seconds,
  control,
  seed,
}: SiteRun): readonly SiteTick[] {
  const agenda = new Agenda()
  const site = new HostedSite(agenda, {
    tiers: tiers.map(({ name, servers }) => ({
      ...{ name, servers },
      service: exponential({ mean: SERVICE_MS[name] }),
    })),
    arrivals: poisson(steps(rates)),
    sessionRequests: SESSION_REQUESTS,
    thinkMs: THINK_MS,
    startupMs: STARTUP_S * 1000,
    control,
    seed,
  })
  agenda.runUntil(seconds * 1000)
  return site.log
}
