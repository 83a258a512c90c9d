import { letAllIn } from '../gate/policy.ts'
import { between, curveOf, percentileMs } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import { degradeTo, END_S, pageService, SPIKE_S, TARGET_MS } from './seda-quality.ts'
import { seconds } from './words.ts'

/** A knob that is wide enough: at its lowest the service answers 1000 users within the target. */
const WORK_MS = 100
const LOWEST = 0.02

/** (Welsh and Culler 2003, §4.5): quality is lowered in a spike of 1000 users, and nobody is rejected. */
export const sedaFigure12 = onPlant<Record<string, never>>({
  name: 'seda-12',
  paper: 'seda',
  figure: 'Fig. 12',
  title: 'Lower quality in a spike of 1000 users, target 5 s, without admission control',
  vary: {},
  short: {},
  seeds: { full: 5, short: 1 },
  system: () => ({
    plant: pageService(WORK_MS),
    seconds: END_S,
    measureFromSeconds: SPIKE_S,
  }),
  policies: {
    none: () => ({ policy: letAllIn }),
    degrade: () => ({ policy: degradeTo({ min: LOWEST, admissionControl: false }) }),
  },
  measure({ trace }) {
    const settled = between(trace, SPIKE_S + 120)
    const curve = curveOf(settled, 10, (part) => percentileMs(part, 90))
    const above = curve.filter(([, ms]) => ms > TARGET_MS).length
    return {
      values: {
        p90Ms: percentileMs(settled, 90),
        above: above / Math.max(1, curve.length),
      },
      curves: { p90Ms: curveOf(trace, 5, (part) => percentileMs(part, 90)) },
    }
  },
  claims: [
    {
      text: 'Without degradation response times grow very large in a spike of 1000 users (over 60 s)',
      holds: (runs) => runs.one({ policy: 'none' }).mean('p90Ms') > 60_000,
      found: (runs) => `90th percentile ${seconds(runs.one({ policy: 'none' }).mean('p90Ms'), 0)}`,
    },
    {
      text: 'With degradation they are greatly reduced (tenfold at least)',
      holds: (runs) =>
        runs.one({ policy: 'degrade' }).mean('p90Ms') <=
        runs.one({ policy: 'none' }).mean('p90Ms') / 10,
      found: (runs) =>
        `90th percentile ${seconds(runs.one({ policy: 'degrade' }).mean('p90Ms'), 1)}`,
    },
    {
      text: 'They oscillate near the target of 5 s: within 40 % of it, now above and now below',
      holds: (runs) => {
        const run = runs.one({ policy: 'degrade' })
        const above = run.mean('above')
        return Math.abs(run.mean('p90Ms') / TARGET_MS - 1) <= 0.4 && above > 0 && above < 1
      },
      found: (runs) => {
        const run = runs.one({ policy: 'degrade' })
        return `90th percentile ${seconds(run.mean('p90Ms'), 1)}; ${Math.round(100 * run.mean('above'))} % of the intervals of 10 s above the target`
      },
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
  ],
})
