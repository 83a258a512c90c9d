import { onPlant } from './on-plant.ts'
import type { Runs } from './runs.ts'
import { socValues } from './soc-measures.ts'
import { OVERLOAD, pac, soc, socShop, tbac } from './soc-shop.ts'
import { list, percent, seconds } from './words.ts'

/** Largest mean divided by smallest. */
const spread = (runs: Runs): number =>
  Math.max(...runs.means('intervalP95Ms')) / Math.min(...runs.means('intervalP95Ms'))

/** Change of the requests answered within the SLA from the shortest period to the longest. */
const lost = (runs: Runs): number => {
  const served = runs.means('inSlaPerSecond')
  return 1 - served.at(-1)! / served[0]!
}

const changed = (runs: Runs): string =>
  `${lost(runs) > 0 ? '−' : '+'}${percent(Math.abs(lost(runs)))}`

const byPeriod = (runs: Runs): string =>
  list(runs.map((run) => `${seconds(run.mean('intervalP95Ms'))} at ${run.at('periodS')} s`))

/** (Bartolini et al. 2009, §7.1.1): the time between two decisions of the policies. */
export const socFigures5And6 = onPlant<{ periodS: number }>({
  name: 'soc-5-6',
  paper: 'soc',
  figure: 'Fig. 5, 6',
  title: 'Sensitivity to the length of the control period',
  vary: { periodS: [10, 30, 60, 120, 240] },
  short: { periodS: [60, 240] },
  seeds: { full: 3, short: 1 },
  system: (_point, form) => ({
    plant: socShop({ sessionsPerSecond: OVERLOAD }),
    seconds: form === 'full' ? 14_400 : 7200,
    measureFromSeconds: form === 'full' ? 4800 : 3600,
  }),
  policies: {
    soc: ({ periodS }) => soc({ periodMs: periodS * 1000 }),
    tbac: ({ periodS }) => tbac({ periodMs: periodS * 1000 }),
    pac: ({ periodS }) => pac({ periodMs: periodS * 1000 }),
  },
  measure: (result, _point, system) => ({ values: socValues(result, system), curves: {} }),
  claims: [
    {
      text: 'SOC hardly depends on the period: the largest mean percentile is less than 1.25 times the smallest',
      holds: (runs) => spread(runs.where({ policy: 'soc' })) < 1.25,
      found: (runs) => byPeriod(runs.where({ policy: 'soc' })),
    },
    {
      text: 'TBAC and PAC get worse with longer periods: at least a fifth fewer requests within the SLA',
      holds: (runs) => ['tbac', 'pac'].every((policy) => lost(runs.where({ policy })) > 0.2),
      found: (runs) =>
        `requests within the SLA from the shortest to the longest period: TBAC ${changed(runs.where({ policy: 'tbac' }))}, PAC ${changed(runs.where({ policy: 'pac' }))}, SOC ${changed(runs.where({ policy: 'soc' }))}`,
    },
  ],
  plots: [
    {
      title: '95th percentile, mean of 60 s intervals',
      x: 'control period, s',
      y: 'ms',
      show: { value: 'intervalP95Ms', against: 'periodS' },
      mark: 5000,
    },
    {
      title: 'Admitted share of new sessions',
      x: 'control period, s',
      y: '',
      show: { value: 'admitted', against: 'periodS' },
    },
  ],
})
