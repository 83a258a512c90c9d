import { onPlant } from './on-plant.ts'
import type { Run, Runs } from './runs.ts'
import { socValues } from './soc-measures.ts'
import { OVERLOAD, pac, soc, socLqr, socShop, tbac } from './soc-shop.ts'
import { list, seconds } from './words.ts'

const above = (run: Run, part = 1) => run.mean('intervalP95Ms') > part * run.at('slaMs')

/** (Bartolini et al. 2009, §7.2): the same load under different service-level agreements. */
export const socFigures9And10 = onPlant<{ slaMs: number }>({
  name: 'soc-9-10',
  paper: 'soc',
  figure: 'Fig. 9, 10',
  title: 'Response time and admission under different SLAs',
  vary: { slaMs: [3500, 4500, 5500, 6500, 7500] },
  short: { slaMs: [4500, 7500] },
  seeds: { full: 3, short: 1 },
  system: ({ slaMs }, form) => ({
    plant: socShop({ sessionsPerSecond: OVERLOAD, slaMs }),
    seconds: form === 'full' ? 10_800 : 5400,
    measureFromSeconds: form === 'full' ? 3600 : 2400,
  }),
  policies: {
    soc: () => soc(),
    tbac: () => tbac(),
    pac: ({ slaMs }) => pac({ slaMs }),
    'soc-lqr': () => socLqr(),
  },
  fullOnly: ['soc-lqr'],
  measure: (result, _point, system) => ({ values: socValues(result, system), curves: {} }),
  claims: [
    {
      text: 'SOC never violates the agreement: the mean of its intervals keeps each SLA (within 5 %)',
      holds: (runs) => runs.where({ policy: 'soc' }).every((run) => !above(run, 1.05)),
      found: (runs) => figures(runs.where({ policy: 'soc' })),
    },
    {
      text: 'TBAC does not prevent violations for SLAs from 3.5 to 6.5 s',
      holds: (runs) =>
        runs
          .where({ policy: 'tbac' })
          .every((run) => run.at('slaMs') > 6500 || run.mean('p95Ms') > run.at('slaMs')),
      found: (runs) => pooled(runs.where({ policy: 'tbac' })),
    },
    {
      text: 'PAC violates SLAs up to 4.5 s, and above that leaves capacity unused',
      holds: (runs) =>
        runs
          .where({ policy: 'pac' })
          .every((run) => run.mean('p95Ms') > run.at('slaMs') === run.at('slaMs') <= 4500),
      found: (runs) => pooled(runs.where({ policy: 'pac' })),
    },
    {
      about: 'soc-lqr',
      text: 'Ours: soc-lqr keeps the percentile of all requests together within every SLA',
      holds: (runs) =>
        runs.where({ policy: 'soc-lqr' }).every((run) => run.mean('p95Ms') <= run.at('slaMs')),
      found: (runs) => pooled(runs.where({ policy: 'soc-lqr' })),
    },
  ],
  plots: [
    {
      title: '95th percentile of all requests',
      x: 'SLA, ms',
      y: 'ms',
      show: { value: 'p95Ms', against: 'slaMs' },
    },
    {
      title: 'Admitted share of new sessions',
      x: 'SLA, ms',
      y: '',
      show: { value: 'admitted', against: 'slaMs' },
    },
  ],
})

const figures = (runs: Runs): string =>
  `means ${list(runs.map((run) => `${seconds(run.mean('intervalP95Ms'))} (SLA ${seconds(run.at('slaMs'), 1)})`))}`

const pooled = (runs: Runs): string =>
  `pooled ${list(runs.map((run) => `${seconds(run.mean('p95Ms'))} (SLA ${seconds(run.at('slaMs'), 1)})`))}`
