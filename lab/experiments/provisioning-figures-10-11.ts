import { between, curvesOf, p95Of, rateOf } from '../provisioning/measures.ts'
import { Planned } from '../provisioning/planned.ts'
import { BlackBox } from '../provisioning/strawmen.ts'
import type { Experiment } from './experiment.ts'
import {
  rulesOf,
  runHostedSite,
  SERVICE_MS,
  SESSION_REQUESTS,
  SLA,
  TARGET_MS,
} from './provisioning-site.ts'
import { list, percent, seconds } from './words.ts'

/** The database takes at most 56 requests/s and cannot be replicated. */
const TIERS = [
  { name: 'web', servers: 1 },
  { name: 'app', servers: 3 },
  { name: 'db', servers: 1, max: 1 },
] as const
const DB_RATE = 1000 / SERVICE_MS.db / SESSION_REQUESTS
const STEP_S = 150
const END_S = 5 * STEP_S
/** From 0.5 to 1.5 times what the database takes. */
const RATES = Object.fromEntries(
  [0.5, 0.8, 1.1, 1.3, 1.5].map((load, i) => [i * STEP_S, load * DB_RATE]),
)
const AVAILABLE = 25

/** (Urgaonkar et al. 2008, §8.2.2): a database that cannot grow. */
export const provisioningFigures10And11: Experiment = {
  name: 'provisioning-10-11',
  paper: 'provisioning',
  figure: 'Fig. 10, 11',
  title: 'A database that cannot be replicated: the black box against the model',
  seeds: { full: 5, short: 1 },
  points: () => [{}],
  policies: () => ['black box', 'model'],
  async run(_point, policy, seed) {
    const model = new Planned({
      ...{ name: 'rubis', sla: SLA, requestsPerSession: SESSION_REQUESTS, polices: 'tier' },
      rules: rulesOf(TIERS, { everyS: 30, pauseS: 0 }),
    })
    const blackBox = new BlackBox({ available: AVAILABLE, everyS: 30 }, TARGET_MS, {
      web: 1,
      app: 2,
    })
    const control = policy === 'model' ? model : blackBox
    const log = runHostedSite({ tiers: TIERS, rates: RATES, seconds: END_S, control, seed })
    const last = between(log, END_S - STEP_S, END_S)
    const { answer } = model.planner
    return {
      values: {
        p95Ms: p95Of(last),
        servers: Object.values(log.at(-1)!.servers).reduce((sum, n) => sum + n, 0),
        admitted: rateOf(last, 'admitted'),
        held: answer?.heldRate ?? 0,
        isNamed: Number(answer?.limitedBy === 'db'),
      },
      curves: curvesOf(log),
    }
  },
  claims: [
    {
      text: 'The black box goes on adding servers until it has used up all, and the response time goes on degrading',
      holds: (runs) => {
        const run = runs.one({ policy: 'black box' })
        return run.mean('servers') > AVAILABLE - 4 && run.mean('p95Ms') > TARGET_MS
      },
      found: (runs) => {
        const run = runs.one({ policy: 'black box' })
        return `${run.mean('servers').toFixed(1)} of ${AVAILABLE} servers, 95th percentile ${seconds(run.mean('p95Ms'))}`
      },
    },
    {
      text: 'The model finds that the database is the limit, and what it carries (85 to 100 % of its capacity)',
      holds: (runs) => {
        const run = runs.one({ policy: 'model' })
        const part = run.mean('held') / DB_RATE
        return run.mean('isNamed') === 1 && part > 0.85 && part < 1
      },
      found: (runs) =>
        `${percent(runs.one({ policy: 'model' }).mean('held') / DB_RATE)} of its capacity`,
    },
    {
      text: 'The gate then admits exactly that, so that the SLA holds, with fewer servers',
      holds: (runs) => {
        const run = runs.one({ policy: 'model' })
        const isExact = Math.abs(run.mean('admitted') / run.mean('held') - 1) < 0.03
        const isSmall = run.mean('servers') < runs.one({ policy: 'black box' }).mean('servers') / 2
        return isExact && isSmall && run.mean('p95Ms') < TARGET_MS
      },
      found: (runs) => {
        const run = runs.one({ policy: 'model' })
        return list([
          `${run.mean('admitted').toFixed(3)} sessions/s admitted of ${run.mean('held').toFixed(3)}`,
          `95th percentile ${seconds(run.mean('p95Ms'))}`,
          `${run.mean('servers').toFixed(1)} servers`,
        ])
      },
    },
  ],
  plots: [
    { title: 'Servers', x: 'time, s', y: 'servers', show: { curve: 'servers' } },
    { title: 'Requests served', x: 'time, s', y: 'requests/s', show: { curve: 'served' } },
    {
      ...{ title: '95th percentile', x: 'time, s', y: 'ms', show: { curve: 'p95Ms' } },
      ...{ mark: TARGET_MS, logarithmic: true },
    },
  ],
}
