import { onPlant } from './on-plant.ts'
import type { Runs } from './runs.ts'
import { socValues } from './soc-measures.ts'
import { pac, soc, socLqr, socShop, tbac } from './soc-shop.ts'
import { list, percent, seconds } from './words.ts'

const SLA_MS = 5000
/** Below this rate there is no overload. */
const SATURATION = 2.05

const calm = (runs: Runs, policy: string): Runs =>
  runs.where({ policy }).filter((run) => run.at('rate') < SATURATION)

const crowded = (runs: Runs, policy: string): Runs =>
  runs.where({ policy }).filter((run) => run.at('rate') > SATURATION)

const admitted = (runs: Runs): string =>
  list(runs.map((run) => `${percent(run.mean('admitted'))} at ${run.at('rate')}/s`))

const p95s = (runs: Runs, value: string): string =>
  list(runs.map((run) => `${seconds(run.mean(value))} at ${run.at('rate')}/s`))

/** (Bartolini et al. 2009, §7.3): the same SLA under different loads. */
export const socFigures11And12 = onPlant<{ rate: number }>({
  name: 'soc-11-12',
  paper: 'soc',
  figure: 'Fig. 11, 12',
  title: 'Response time and admission under different loads; 2.05 sessions/s are the capacity',
  vary: { rate: [1, 1.5, 1.9, 2.5, 3.5, 5, 7] },
  short: { rate: [1.5, 5] },
  seeds: { full: 3, short: 1 },
  system: ({ rate }, form) => ({
    plant: socShop({ sessionsPerSecond: rate }),
    seconds: form === 'full' ? 10_800 : 7200,
    measureFromSeconds: 3600,
  }),
  policies: {
    soc: () => soc(),
    tbac: () => tbac(),
    pac: () => pac(),
    'soc-lqr': () => socLqr(),
  },
  fullOnly: ['soc-lqr'],
  measure: (result, _point, system) => ({ values: socValues(result, system), curves: {} }),
  claims: [
    {
      text: 'SOC accepts almost all sessions when traffic is low (at least 97 %)',
      holds: (runs) => calm(runs, 'soc').every((run) => run.mean('admitted') >= 0.97),
      found: (runs) => admitted(calm(runs, 'soc')),
    },
    {
      text: 'SOC stays within the SLA when traffic is high (mean of the intervals, within 10 %)',
      holds: (runs) =>
        crowded(runs, 'soc').every((run) => run.mean('intervalP95Ms') <= 1.1 * SLA_MS),
      found: (runs) => p95s(crowded(runs, 'soc'), 'intervalP95Ms'),
    },
    {
      text: 'TBAC violates the agreement when traffic is high, and so does PAC when it is very high',
      holds: (runs) =>
        ['tbac', 'pac'].every((policy) =>
          runs.where({ policy, rate: most(runs) }).every((run) => run.mean('p95Ms') > SLA_MS),
        ),
      found: (runs) =>
        `pooled: TBAC ${p95s(crowded(runs, 'tbac'), 'p95Ms')}; PAC ${p95s(crowded(runs, 'pac'), 'p95Ms')}`,
    },
    {
      text: 'PAC refuses sessions at low traffic, when there is room for all (over 1 %)',
      holds: (runs) => calm(runs, 'pac').some((run) => run.mean('admitted') < 0.99),
      found: (runs) => admitted(calm(runs, 'pac')),
    },
    {
      about: 'soc-lqr',
      text: 'Ours: soc-lqr admits 99 % at low traffic and keeps the pooled percentile within the SLA at every load',
      holds: (runs) =>
        calm(runs, 'soc-lqr').every(
          (run) => run.at('rate') > 1.8 || run.mean('admitted') >= 0.99,
        ) && runs.where({ policy: 'soc-lqr' }).every((run) => run.mean('p95Ms') <= SLA_MS),
      found: (runs) =>
        `${admitted(calm(runs, 'soc-lqr'))}; ${p95s(runs.where({ policy: 'soc-lqr' }), 'p95Ms')}`,
    },
  ],
  plots: [
    {
      title: '95th percentile of all requests',
      x: 'sessions/s',
      y: 'ms',
      show: { value: 'p95Ms', against: 'rate' },
      mark: SLA_MS,
    },
    {
      title: 'Admitted share of new sessions',
      x: 'sessions/s',
      y: '',
      show: { value: 'admitted', against: 'rate' },
    },
  ],
})

const most = (runs: Runs): number => Math.max(...runs.map((run) => run.at('rate')))
