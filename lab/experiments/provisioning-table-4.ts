import type { PoolPlan } from '../../src/origin/server-pool.ts'
import type { Experiment } from './experiment.ts'
import { type PoolSiteOptions, runPoolSite } from './pool-site.ts'
import type { Runs } from './runs.ts'

/** The auction site gives a server to the bulletin board. */
const [GIVER, TAKER] = [0, 1]
const SWITCH_MS = 60_000
const START_UP_MS = 10_000
const RAMP_MS = 300_000
const SERVICE_MS = 40
const RESIDUAL = { server: 'http://s', sessions: 60, everyMs: 3000, endsMs: 300_000 }

type Scenario = '1 cold' | '2 warm' | '3 wait' | '4 share' | '5 ramp'
const SCENARIOS: readonly Scenario[] = ['1 cold', '2 warm', '3 wait', '4 share', '5 ramp']

const s = { url: 'http://s', weight: 1 }
const free = { url: 'http://free', weight: 1 }
const giver = { url: 'http://giver', weight: 1 }
const taker = { url: 'http://taker', weight: 1 }

const isShared = (scenario: string): boolean => scenario >= '3'

/** What the coordinators of both applications say, in each of the five ways. */
function plansOf(scenario: Scenario): NonNullable<PoolSiteOptions['plans']> {
  const takes = (atMs: number, plan: PoolPlan) => ({ atMs, app: TAKER, plan })
  const drains = (how: 'fixed' | 'measured', forMs: number) => ({
    atMs: SWITCH_MS,
    app: GIVER,
    plan: {
      servers: [{ ...s, drain: { how, sinceMs: SWITCH_MS, untilMs: SWITCH_MS + forMs } }, giver],
    },
  })
  const withFree = { servers: [taker, free] }
  const withS = { servers: [taker, s] }
  switch (scenario) {
    case '1 cold':
      return [takes(SWITCH_MS + START_UP_MS, withFree)]
    case '2 warm':
      return [takes(SWITCH_MS, withFree)]
    // The taker gets the server when its last session has ended, which is after this run.
    case '3 wait':
      return [drains('measured', 3_600_000)]
    case '4 share':
      return [drains('measured', 3_600_000), takes(SWITCH_MS, withS)]
    case '5 ramp':
      return [
        drains('fixed', RAMP_MS),
        takes(SWITCH_MS, { ...withS, rising: { [s.url]: SWITCH_MS } }),
      ]
  }
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

const of = (runs: Runs, policy: Scenario, value: string): number => runs.one({ policy }).mean(value)

/** (Urgaonkar et al. 2008, §8.4, Table IV): five ways to give a server to another application. */
export const provisioningTable4: Experiment = {
  name: 'provisioning-table-4',
  paper: 'provisioning',
  figure: 'Table IV',
  title: 'Switching a server to another application while sessions are left on it',
  seeds: { full: 5, short: 1 },
  policies: () => SCENARIOS,
  points: () => [{}],
  async run(_point, policy, seed) {
    const scenario = policy as Scenario
    const log = runPoolSite({
      servers: [s, free, giver, taker].map(({ url }) => ({ url, speed: 1 })),
      apps: [
        {
          rate: 0,
          pool: { servers: [s, giver], affinity: true },
          residual: RESIDUAL,
        },
        { rate: 36, pool: { servers: [taker, taker], slowStartMs: RAMP_MS } },
      ],
      ...{ serviceMs: SERVICE_MS, seconds: 2400, seed, plans: plansOf(scenario) },
    })
    const residual = log.filter(({ isResidual, atMs }) => isResidual && atMs > SWITCH_MS)
    const lastMs = Math.max(...residual.map(({ atMs }) => atMs))
    const given = log.find(({ app, server }) => app === TAKER && server !== taker.url)
    const switchMs = (given === undefined ? lastMs : given.atMs - given.responseMs) - SWITCH_MS
    return {
      values: {
        switchS: switchMs / 1000,
        residualMs: isShared(scenario)
          ? mean(residual.filter(({ atMs }) => atMs < SWITCH_MS + RAMP_MS).map((r) => r.responseMs))
          : 0,
        residualRequests: residual.length,
      },
      curves: {
        residualMs: Array.from({ length: 15 }, (_, i) => {
          const part = residual.filter(({ atMs }) => Math.floor((atMs - SWITCH_MS) / 60_000) === i)
          return [i + 1, mean(part.map(({ responseMs }) => responseMs))] as const
        }),
      },
    }
  },
  claims: [
    {
      text: 'A server that has to be started takes its start-up time (10 s), one that runs takes none (1 s)',
      holds: (runs) =>
        Math.abs(of(runs, '1 cold', 'switchS') - 10) < 1 && of(runs, '2 warm', 'switchS') < 1,
      found: (runs) =>
        `${of(runs, '1 cold', 'switchS').toFixed(1)} s and ${of(runs, '2 warm', 'switchS').toFixed(1)} s`,
    },
    {
      text: 'Waiting for the sessions that are left takes as long as they live (17 min in the paper; 10 at least)',
      holds: (runs) => of(runs, '3 wait', 'switchS') >= 600,
      found: (runs) => `${(of(runs, '3 wait', 'switchS') / 60).toFixed(0)} min`,
    },
    {
      text: 'If both applications use the server meanwhile, the switch takes less than a second',
      holds: (runs) => of(runs, '4 share', 'switchS') < 1 && of(runs, '5 ramp', 'switchS') < 1,
      found: (runs) =>
        `${of(runs, '4 share', 'switchS').toFixed(2)} s and ${of(runs, '5 ramp', 'switchS').toFixed(2)} s`,
    },
    {
      text: 'With equal parts the sessions that are left suffer; with a ramp they do not (2400 and 950 ms: half at the most)',
      holds: (runs) => of(runs, '5 ramp', 'residualMs') <= of(runs, '4 share', 'residualMs') / 2,
      found: (runs) =>
        `${of(runs, '4 share', 'residualMs').toFixed(0)} ms with equal parts, ${of(runs, '5 ramp', 'residualMs').toFixed(0)} ms with the ramp`,
    },
    {
      text: 'Ours: no request of a session is lost in any of the five ways',
      // The sessions are the same in all five, so each of their requests must be answered in each of them.
      holds: (runs) => new Set(runs.map((run) => run.mean('residualRequests'))).size === 1,
      found: (runs) =>
        `requests of sessions after the switch: ${runs.map((run) => run.mean('residualRequests').toFixed(0)).join(', ')}`,
    },
  ],
  plots: [
    {
      title: 'Response time of the sessions that are left',
      x: 'minutes after the switch',
      y: 'ms',
      show: { curve: 'residualMs' },
      logarithmic: true,
    },
  ],
}
