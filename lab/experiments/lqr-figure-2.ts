import { letAllIn } from '../gate/policy.ts'
import { between, meanMs, meanOf } from './from-trace.ts'
import { CAPACITY, fixedRate, lqrSite, powerOf } from './lqr-site.ts'
import { onPlant } from './on-plant.ts'
import type { Run, Runs } from './runs.ts'
import { list } from './words.ts'

const HELD = 12

const beyond = (runs: Runs, policy: string): Runs =>
  runs.where({ policy }).filter((run) => run.at('offered') > CAPACITY)

const best = (runs: Runs): Run =>
  [...runs].reduce((a, b) => (b.mean('power') > a.mean('power') ? b : a))

const shown = (runs: Runs, value: string, digits: number): string =>
  list(runs.map((run) => `${run.mean(value).toFixed(digits)} at ${run.at('offered')}/s`))

/** (Mathur et al. 2009, §II-A): without control, and with a fixed rate of 12 requests/s. */
export const lqrFigure2 = onPlant<{ offered: number }>({
  name: 'lqr-2',
  paper: 'lqr',
  figure: 'Fig. 2',
  title: 'Goodput, response time and power against the offered load; the capacity is 13 requests/s',
  vary: { offered: [4, 6, 8, 9, 10, 11, 12, 13, 15, 18, 22, 28] },
  short: { offered: [4, 10, 12, 15, 28] },
  seeds: { full: 5, short: 1 },
  system: (point, form) => ({
    plant: lqrSite(point.offered),
    seconds: form === 'full' ? 2400 : 1500,
    measureFromSeconds: 600,
  }),
  policies: { none: () => ({ policy: letAllIn }), 'fixed 12/s': () => fixedRate(HELD) },
  measure({ trace }, _point, { measureFromSeconds = 0 }) {
    const measured = between(trace, measureFromSeconds)
    return {
      values: {
        goodput: meanOf(measured, ({ sample }) => sample.goodput),
        responseMs: meanMs(measured),
        power: powerOf(measured),
      },
      curves: {},
    }
  },
  claims: [
    {
      text: 'Without control goodput falls beyond 13 requests/s (to half), and response time shoots up (tenfold)',
      holds: (runs) =>
        beyond(runs, 'none').some((run) => run.mean('goodput') < CAPACITY / 2) &&
        beyond(runs, 'none').some((run) => run.mean('responseMs') > 4000),
      found: (runs) =>
        `goodput ${shown(beyond(runs, 'none'), 'goodput', 1)}; response time in ms ${shown(beyond(runs, 'none'), 'responseMs', 0)}`,
    },
    {
      text: 'With a fixed rate of 12 requests/s goodput stays at 12 even at more than twice the capacity',
      holds: (runs) =>
        beyond(runs, 'fixed 12/s').every((run) => Math.abs(run.mean('goodput') - HELD) < 0.5),
      found: (runs) => `goodput ${shown(beyond(runs, 'fixed 12/s'), 'goodput', 1)}`,
    },
    {
      text: 'The highest power is near 10 requests/s (8 to 11)',
      holds: (runs) => {
        const offered = best(runs.where({ policy: 'none' })).at('offered')
        return offered >= 8 && offered <= 11
      },
      found: (runs) => `power ${shown(runs.where({ policy: 'none' }), 'power', 2)}`,
    },
    {
      text: 'In overload the fixed rate has the higher power',
      holds: (runs) =>
        beyond(runs, 'none').every(
          (run) =>
            runs.one({ policy: 'fixed 12/s', offered: run.at('offered') }).mean('power') >
            run.mean('power'),
        ),
      found: (runs) =>
        `${shown(beyond(runs, 'fixed 12/s'), 'power', 2)}, without control ${shown(beyond(runs, 'none'), 'power', 3)}`,
    },
  ],
  plots: [
    {
      title: 'Goodput',
      x: 'offered, requests/s',
      y: 'requests/s',
      show: { value: 'goodput', against: 'offered' },
    },
    {
      title: 'Mean response time',
      x: 'offered, requests/s',
      y: 'ms',
      show: { value: 'responseMs', against: 'offered' },
      logarithmic: true,
    },
    {
      title: 'Power',
      x: 'offered, requests/s',
      y: '',
      show: { value: 'power', against: 'offered' },
    },
  ],
})
