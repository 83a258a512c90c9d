import type { Control } from '../provisioning/control.ts'
import { between, curvesOf, rateOf, violatedOf } from '../provisioning/measures.ts'
import { Planned } from '../provisioning/planned.ts'
import { TierByTier } from '../provisioning/strawmen.ts'
import type { Experiment } from './experiment.ts'
import { rulesOf, runHostedSite, SESSION_REQUESTS, SLA, TARGET_MS } from './provisioning-site.ts'
import { percent } from './words.ts'

/** The web tier takes 50 requests/s, the application tier 33. */
const TIERS = [
  { name: 'web', servers: 1 },
  { name: 'app', servers: 2 },
] as const
const STEP_S = 200
const END_S = 4 * STEP_S
/** Sessions/s with 20 requests each: 24, 72, 120 requests/s. */
const RATES = { 0: 1.2, [STEP_S]: 3.6, [2 * STEP_S]: 6 }
const AVAILABLE = 40
/** Half a step, as in the paper. */
const EVERY_S = 100

const CONTROLS: Readonly<Record<string, () => Control>> = {
  'tier by tier': () => new TierByTier({ available: AVAILABLE, everyS: EVERY_S }),
  'only the application tier': () =>
    new TierByTier({ available: AVAILABLE, everyS: EVERY_S }, ['app']),
  'all at once': () =>
    new Planned({
      ...{ name: 'rubbos', sla: SLA, requestsPerSession: SESSION_REQUESTS, polices: 'all' },
      rules: rulesOf(TIERS, { everyS: EVERY_S, pauseS: 0 }),
    }),
}

/** (Urgaonkar et al. 2008, §8.2.1): a load in steps, and three ways to add servers. */
export const provisioningFigures7To9: Experiment = {
  name: 'provisioning-7-9',
  paper: 'provisioning',
  figure: 'Fig. 7, 8, 9',
  title:
    'A load that grows in steps: servers tier by tier, in one tier only, and in all tiers at once',
  seeds: { full: 5, short: 1 },
  points: () => [{}],
  policies: () => Object.keys(CONTROLS),
  async run(_point, policy, seed) {
    const control = CONTROLS[policy]!()
    const log = runHostedSite({ tiers: TIERS, rates: RATES, seconds: END_S, control, seed })
    const last = between(log, END_S - 60, END_S)
    const { web = 0, app = 0 } = log.at(-1)!.servers
    return {
      values: {
        violated: violatedOf(between(log, STEP_S, END_S), TARGET_MS),
        served: rateOf(last, 'served') / (RATES[2 * STEP_S]! * SESSION_REQUESTS),
        ...{ web, app },
      },
      curves: curvesOf(log),
    }
  },
  claims: [
    {
      text: 'Tier by tier, the bottleneck moves to the next tier, and the SLA is violated for long (in more than a fifth of the time after the first step)',
      holds: (runs) => runs.one({ policy: 'tier by tier' }).mean('violated') > 0.2,
      found: (runs) => percent(runs.one({ policy: 'tier by tier' }).mean('violated')),
    },
    {
      text: 'With servers for the application tier alone, throughput reaches a plateau, although that tier has plenty (under 60 % of the load is served)',
      holds: (runs) => {
        const run = runs.one({ policy: 'only the application tier' })
        return run.mean('served') < 0.6 && run.mean('web') === 1
      },
      found: (runs) => {
        const run = runs.one({ policy: 'only the application tier' })
        return `${percent(run.mean('served'))} served with ${run.mean('app').toFixed(1)} application servers and one web server`
      },
    },
    {
      text: 'All tiers at once, throughput follows the load and the SLA is kept (violated in less than a quarter of the time that it is tier by tier)',
      holds: (runs) => {
        const run = runs.one({ policy: 'all at once' })
        const other = runs.one({ policy: 'tier by tier' })
        return run.mean('served') > 0.93 && run.mean('violated') < other.mean('violated') / 4
      },
      found: (runs) => {
        const run = runs.one({ policy: 'all at once' })
        return `${percent(run.mean('served'))} served, violated in ${percent(run.mean('violated'))}, with ${run.mean('web').toFixed(1)} and ${run.mean('app').toFixed(1)} servers`
      },
    },
  ],
  plots: [
    { title: 'Requests served', x: 'time, s', y: 'requests/s', show: { curve: 'served' } },
    { title: 'Servers', x: 'time, s', y: 'servers', show: { curve: 'servers' } },
    {
      ...{ title: '95th percentile', x: 'time, s', y: 'ms', show: { curve: 'p95Ms' } },
      ...{ mark: TARGET_MS, logarithmic: true },
    },
  ],
}
