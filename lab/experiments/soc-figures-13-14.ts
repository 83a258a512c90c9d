import { between, curveOf, meanOf, percentileMs } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import type { Runs } from './runs.ts'
import { CURVE_S, intervalP95s, socValues, variation } from './soc-measures.ts'
import { OVERLOAD, pac, soc, socLqr, socShop, tbac } from './soc-shop.ts'
import { list, percent } from './words.ts'

const ofActive = (runs: Runs, policy: string): number =>
  runs.one({ policy }).mean('activeVariation')

const deviations = (runs: Runs): string =>
  list(['soc', 'pac', 'tbac'].map((policy) => `${percent(ofActive(runs, policy))} (${policy})`))

/** (Bartolini et al. 2009, §7.4): the same load for hours. */
export const socFigures13And14 = onPlant<Record<string, never>>({
  name: 'soc-13-14',
  paper: 'soc',
  figure: 'Fig. 13, 14',
  title: 'Stability over time: response time and number of active sessions',
  vary: {},
  short: {},
  seeds: { full: 5, short: 1 },
  system: (_point, form) => ({
    plant: socShop({ sessionsPerSecond: OVERLOAD }),
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
  measure(result, _point, system) {
    const measured = between(result.trace, system.measureFromSeconds!)
    const active = curveOf(measured, CURVE_S, (part) => meanOf(part, (line) => line.activeSessions))
    return {
      values: {
        ...socValues(result, system),
        activeVariation: variation(active.map(([, sessions]) => sessions)),
        p95Variation: variation(intervalP95s(measured)),
      },
      curves: { active, p95Ms: curveOf(measured, CURVE_S, (part) => percentileMs(part, 95)) },
    }
  },
  claims: [
    {
      text: 'TBAC keeps the number of active sessions least stable of the three',
      holds: (runs) =>
        ofActive(runs, 'soc') < ofActive(runs, 'tbac') &&
        ofActive(runs, 'pac') < ofActive(runs, 'tbac'),
      found: (runs) => `standard deviation ${deviations(runs)} of the mean`,
    },
    {
      text: 'SOC keeps it more stable than PAC',
      holds: (runs) => ofActive(runs, 'soc') < ofActive(runs, 'pac'),
      found: (runs) => `standard deviation ${deviations(runs)} of the mean`,
      missed:
        'Five seeds show no difference between SOC and PAC: the 95 % interval of SOC is 7.8 to 13.5 %, that of PAC 9.3 to 9.9 %. SOC keeps 324 sessions, at the point where the percentile equals the SLA. PAC keeps 300, where queues are shorter. Our SOC also forgets old measurements, to follow unannounced losses, so its limit keeps varying where the limit of the paper settles.',
    },
    {
      about: 'soc-lqr',
      text: 'Ours: soc-lqr is the most stable of all',
      holds: (runs) =>
        ['soc', 'pac', 'tbac'].every(
          (policy) => ofActive(runs, 'soc-lqr') < ofActive(runs, policy),
        ),
      found: (runs) => `standard deviation ${percent(ofActive(runs, 'soc-lqr'))} of the mean`,
    },
  ],
  plots: [
    {
      title: '95th percentile in intervals of 60 s',
      x: 'time, s',
      y: 'ms',
      show: { curve: 'p95Ms' },
      mark: 5000,
    },
    { title: 'Active sessions', x: 'time, s', y: '', show: { curve: 'active' } },
  ],
})
