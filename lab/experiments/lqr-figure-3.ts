import { TokenBucket } from '../../src/admission/token-bucket.ts'
import { createLearner } from '../../src/learners/registry.ts'
import { poisson } from '../clients/arrivals.ts'
import { constantRate } from '../clients/rates.ts'
import { singleRequests } from '../clients/single-requests.ts'
import { exponential, uniform } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import { letAllIn, type PolicyFactory } from '../gate/policy.ts'
import { station } from '../origins/station.ts'
import { meanWaitMMc } from '../theory/formulas.ts'
import { between, meanMs, meanOf } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import type { Run, Runs } from './runs.ts'
import { list } from './words.ts'

/** Servers and service rate. The paper has μ = 200/s; all times here are ten times as long. */
const SITES = {
  '5 x 20/s': { servers: 5, mu: 20 },
  '4 x 20/s': { servers: 4, mu: 20 },
  '3 x 20/s': { servers: 3, mu: 20 },
  '5 x 17/s': { servers: 5, mu: 17 },
  '5 x 15/s': { servers: 5, mu: 15 },
} as const
type Site = keyof typeof SITES

const NORMAL: Site = '5 x 20/s'
/** Its service alone takes 67 ms, more than the operating point of 60 ms. */
const INFEASIBLE: Site = '5 x 15/s'
const OVERLOAD = 1.5

const capacityOf = (site: Site): number => SITES[site].servers * SITES[site].mu
const siteOf = (run: Run): Site => String(run.point.site) as Site

/** Mean response in M/M/c by theory. */
function responseMs(site: Site, rate: number): number {
  const { servers, mu } = SITES[site]
  return 1000 * (1 / mu + meanWaitMMc(rate, mu, servers))
}

/** The load with the highest power, λ/R: where a line from the origin touches the curve of R. */
function kneeOf(site: Site): number {
  const capacity = capacityOf(site)
  const loads = Array.from({ length: 99 }, (_, i) => ((i + 1) / 100) * capacity)
  return loads.reduce((a, b) => (b / responseMs(site, b) > a / responseMs(site, a) ? b : a))
}

/** θ: 60 ms, as the paper's 0.006 s. In M/M/5 with μ = 20/s this is the load of 68/s. */
const POINT = { rate: 68, responseMs: 60, goodput: 68 }

function queue(site: Site, load: number): Plant {
  const { servers, mu } = SITES[site]
  return {
    granularity: 'request',
    sla: { percentile: 95, targetMs: 500, windowMs: 60_000 },
    origin: station({ servers }),
    clients: singleRequests({
      arrivals: poisson(constantRate(load * capacityOf(site))),
      demand: exponential({ mean: 1000 / mu }),
      patience: uniform({ from: 5000, to: 15_000 }),
    }),
  }
}

/** A loop with one metric: it changes the rate until the response time is the operating point's. */
const responseAlone: PolicyFactory = () => {
  const bucket = new TokenBucket(0)
  let limit = POINT.rate
  let us = 0
  let completed = 0
  let ticks = 0
  return {
    get limit() {
      return limit
    },
    tick({ tiers }, nowMs) {
      us += tiers.reduce((sum, { latencyUs }) => sum + latencyUs, 0)
      completed += tiers.reduce((sum, tier) => sum + tier.completed, 0)
      if (++ticks % 10 === 0 && completed > 0) {
        const error = (us / completed / 1000 - POINT.responseMs) / POINT.responseMs
        limit = Math.max(0.01, limit * (1 - Math.max(-1, Math.min(1, error))))
        us = 0
        completed = 0
      }
      bucket.set(limit, 5, nowMs)
    },
    admits: (_class, nowMs) => bucket.take(1, 0, nowMs),
  }
}

const under = (runs: Runs, policy: string): Runs => runs.where({ policy, load: OVERLOAD })
const onQueue = (runs: Runs): Runs =>
  runs.where({ policy: 'none' }).filter((run) => run.at('load') < 1)
/** Up to a quarter of the capacity is lost, and θ can be reached. */
const changed = (runs: Runs): Runs =>
  under(runs, 'lqr').filter(
    (run) => siteOf(run) !== INFEASIBLE && capacityOf(siteOf(run)) >= 0.75 * capacityOf(NORMAL),
  )
const rates = (runs: Runs): string =>
  list(
    runs.map(
      (run) =>
        `${run.mean('goodput').toFixed(0)}/s at ${siteOf(run)} (knee ${kneeOf(siteOf(run)).toFixed(0)}/s)`,
    ),
  )

/** (Mathur et al. 2009, §III-C): capacity changes seen as changed curves of an M/M/c queue. */
export const lqrFigure3 = onPlant<{ site: Site; load: number }>({
  name: 'lqr-3',
  paper: 'lqr',
  figure: 'Fig. 3',
  title:
    'Response time against load for changed service rates and numbers of servers; the loop on each',
  vary: {
    site: Object.keys(SITES) as Site[],
    load: [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, OVERLOAD],
  },
  short: { load: [0.5, 0.8, OVERLOAD] },
  seeds: { full: 5, short: 1 },
  system: ({ site, load }, form) => ({
    plant: queue(site, load),
    seconds: form === 'full' ? 2400 : 900,
    measureFromSeconds: 300,
  }),
  policies: {
    none: () => ({ policy: letAllIn }),
    lqr: () => ({ learner: () => createLearner({ name: 'lqr', options: POINT }).learner }),
    'response time alone': () => ({ policy: responseAlone }),
  },
  measure({ trace }, _point, { measureFromSeconds = 0 }) {
    const measured = between(trace, measureFromSeconds)
    return {
      values: {
        responseMs: meanMs(measured),
        goodput: meanOf(measured, ({ sample }) => sample.goodput),
      },
      curves: {},
    }
  },
  claims: [
    {
      text: 'The curves are those of M/M/c (within 10 %), and a smaller capacity has its highest power at a smaller load',
      holds: (runs) =>
        onQueue(runs).every((run) => {
          const expected = responseMs(siteOf(run), run.at('load') * capacityOf(siteOf(run)))
          return Math.abs(run.mean('responseMs') / expected - 1) < 0.1
        }) &&
        (Object.keys(SITES) as Site[]).every(
          (site) => site === NORMAL || kneeOf(site) < kneeOf(NORMAL),
        ),
      found: () =>
        `knees: ${list((Object.keys(SITES) as Site[]).map((site) => `${kneeOf(site).toFixed(0)}/s at ${site}`))}`,
    },
    {
      text: 'With up to a quarter of the capacity lost the loop stays near the knee (0.7 to 1.3 of its load)',
      holds: (runs) =>
        changed(runs).every((run) => {
          const part = run.mean('goodput') / kneeOf(siteOf(run))
          return part >= 0.7 && part <= 1.3
        }),
      found: (runs) =>
        `${rates(changed(runs))}. With two fifths lost it stays above the knee: ${rates(under(runs, 'lqr').where({ site: '3 x 20/s' }))}`,
    },
    {
      text: 'Where the operating point cannot be reached, two metrics keep the system open (half of the knee at least); response time alone shuts it down (to a tenth)',
      holds: (runs) => {
        const at = (policy: string) =>
          runs.one({ policy, site: INFEASIBLE, load: OVERLOAD }).mean('goodput')
        const knee = kneeOf(INFEASIBLE)
        return at('lqr') >= knee / 2 && at('response time alone') <= knee / 10
      },
      found: (runs) =>
        `two metrics ${rates(under(runs, 'lqr').where({ site: INFEASIBLE }))}; one metric ${rates(under(runs, 'response time alone').where({ site: INFEASIBLE }))}`,
    },
  ],
  plots: (Object.keys(SITES) as Site[]).map((site) => ({
    title: `Mean response time, ${site}`,
    x: 'load, of the capacity',
    y: 'ms',
    show: { value: 'responseMs', against: 'load' },
    where: { site },
    mark: POINT.responseMs,
    logarithmic: true,
  })),
})
