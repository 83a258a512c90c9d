import { letAllIn } from '../gate/policy.ts'
import { p90AndRejected } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import { mailService, perStage } from './seda-mail.ts'
import { percent, seconds } from './words.ts'

const TARGET_MS = 1000
const SPIKE_S = 120
const END_S = 420

/** (Welsh and Culler 2003, §4.4): from 3 users to 1000 at once. */
export const sedaFigure10 = onPlant<Record<string, never>>({
  name: 'seda-10',
  paper: 'seda',
  figure: 'Fig. 10',
  title: 'A load spike from 3 to 1000 users, target 1 s',
  vary: {},
  short: {},
  seeds: { full: 5, short: 1 },
  system: () => ({
    plant: mailService({
      targetMs: TARGET_MS,
      groups: [
        { users: 3, class: 'type', fromMs: 0, overMs: 1000 },
        { users: 997, class: 'type', fromMs: SPIKE_S * 1000, overMs: 5000 },
      ],
    }),
    seconds: END_S,
    measureFromSeconds: SPIKE_S,
  }),
  policies: {
    none: () => ({ policy: letAllIn }),
    'per stage': () => ({ policy: perStage }),
  },
  measure: ({ trace }) => p90AndRejected(trace, SPIKE_S + 60),
  claims: [
    {
      text: 'Without control the spike makes the service unusable: response times grow without bound (over 60 s)',
      holds: (runs) => runs.one({ policy: 'none' }).mean('p90Ms') > 60_000,
      found: (runs) => `90th percentile ${seconds(runs.one({ policy: 'none' }).mean('p90Ms'), 0)}`,
    },
    {
      text: 'With control response times stay low: within the target of 1 s from a minute after the spike on',
      holds: (runs) => runs.one({ policy: 'per stage' }).mean('p90Ms') <= TARGET_MS,
      found: (runs) =>
        `90th percentile ${seconds(runs.one({ policy: 'per stage' }).mean('p90Ms'))}`,
    },
    {
      text: 'About 70 to 80 % of the requests are rejected during the spike',
      holds: (runs) => {
        const rejected = runs.one({ policy: 'per stage' }).mean('rejected')
        return rejected > 0.65 && rejected < 0.85
      },
      found: (runs) => `${percent(runs.one({ policy: 'per stage' }).mean('rejected'))} rejected`,
      missed:
        'A thousand users that come back every 5 s send 200 requests/s. The service of Fig. 9 answers 14 of them within a second. The paper does not give the capacity of its service in this experiment: 70 to 80 % would be 40 to 60 requests/s.',
    },
  ],
  plots: [
    {
      title: '90th percentile in intervals of 5 s',
      x: 'time, s',
      y: 'ms',
      show: { curve: 'p90Ms' },
      mark: TARGET_MS,
      logarithmic: true,
    },
    { title: 'Rejected part', x: 'time, s', y: '', show: { curve: 'rejected' } },
  ],
})
