import { onPlant } from './on-plant.ts'
import type { Runs } from './runs.ts'
import { socValues } from './soc-measures.ts'
import { OVERLOAD, soc, socShop } from './soc-shop.ts'
import { list, percent, seconds } from './words.ts'

const SLA_MS = 5000

/**
 * (Bartolini et al. 2009, §7.1.2): the width of the slices of the admitted rate. Ours are a share
 * of the rate.
 */
export const socFigures7And8 = onPlant<{ slice: number; servers: number }>({
  name: 'soc-7-8',
  paper: 'soc',
  figure: 'Fig. 7, 8',
  title: 'Sensitivity to the width of the slices, with 10, 20 and 30 servers',
  vary: { slice: [0.05, 0.1, 0.2, 0.3], servers: [10, 20, 30] },
  short: { slice: [0.1, 0.3], servers: [10] },
  seeds: { full: 3, short: 1 },
  system: ({ servers }, form) => ({
    plant: socShop({ sessionsPerSecond: (OVERLOAD * servers) / 20, servers }),
    seconds: form === 'full' ? 14_400 : 9000,
    measureFromSeconds: 3600,
  }),
  policies: { soc: ({ slice }) => soc({}, { slice }) },
  measure: (result, _point, system) => ({ values: socValues(result, system), curves: {} }),
  claims: [
    {
      text: 'SOC meets the SLA for every width and number of servers (mean of the intervals, within 15 %)',
      holds: (runs) => runs.every((run) => run.mean('intervalP95Ms') <= 1.15 * SLA_MS),
      found: (runs) => `means ${list(runs.map((run) => seconds(run.mean('intervalP95Ms'))))}`,
    },
    {
      text: 'The admitted share does not depend on the width: smallest and largest differ by at most 0.1',
      holds: (runs) => serverCounts(runs).every((servers) => range(runs.where({ servers })) <= 0.1),
      found: (runs) =>
        list(
          serverCounts(runs).map(
            (servers) => `${percent(range(runs.where({ servers })))} apart with ${servers} servers`,
          ),
        ),
    },
  ],
  plots: [10, 20, 30].map((servers) => ({
    title: `95th percentile, mean of 60 s intervals, ${servers} servers`,
    x: 'width of a slice, share of the rate',
    y: 'ms',
    show: { value: 'intervalP95Ms', against: 'slice' },
    where: { servers },
    mark: SLA_MS,
  })),
})

const serverCounts = (runs: Runs): readonly number[] => [
  ...new Set(runs.map((run) => run.at('servers'))),
]

const range = (runs: Runs): number =>
  Math.max(...runs.means('admitted')) - Math.min(...runs.means('admitted'))
