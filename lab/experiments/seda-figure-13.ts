import { p90AndRejected } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import { degradeTo, pageService, SPIKE_S, TARGET_MS } from './seda-quality.ts'
import { percent, seconds } from './words.ts'

/** The knob is too narrow: even at the lowest quality 1000 users would wait for minutes. */
const WORK_MS = 1000
const LOWEST = 0.5
/** The users of the first seconds come in at full quality. The server works on their requests for a quarter of an hour. */
const SETTLED_S = 1400
const LAST_S = 2400

/** (Welsh and Culler 2003, §4.5): at the lowest quality the admission controller takes over. */
export const sedaFigure13 = onPlant<Record<string, never>>({
  name: 'seda-13',
  paper: 'seda',
  figure: 'Fig. 13',
  title: 'Lower quality, then admission control, in a spike of 1000 users, target 5 s',
  vary: {},
  short: {},
  seeds: { full: 5, short: 1 },
  system: () => ({
    plant: pageService(WORK_MS),
    seconds: LAST_S,
    measureFromSeconds: SPIKE_S,
  }),
  policies: {
    degrade: () => ({ policy: degradeTo({ min: LOWEST, admissionControl: false }) }),
    'degrade, then refuse': () => ({ policy: degradeTo({ min: LOWEST, admissionControl: true }) }),
  },
  measure: ({ trace }) => p90AndRejected(trace, SETTLED_S),
  claims: [
    {
      text: 'Where even the lowest quality is too much, degradation alone misses the target by far',
      holds: (runs) => runs.one({ policy: 'degrade' }).mean('p90Ms') > 4 * TARGET_MS,
      found: (runs) =>
        `90th percentile ${seconds(runs.one({ policy: 'degrade' }).mean('p90Ms'), 0)}`,
    },
    {
      text: 'With admission control at the lowest quality it is much more effective: response times are ten times lower at least',
      holds: (runs) =>
        runs.one({ policy: 'degrade, then refuse' }).mean('p90Ms') <=
        runs.one({ policy: 'degrade' }).mean('p90Ms') / 10,
      found: (runs) =>
        `90th percentile ${seconds(runs.one({ policy: 'degrade, then refuse' }).mean('p90Ms'), 1)}`,
    },
    {
      text: 'The target of 5 s is met (within 20 %)',
      holds: (runs) =>
        runs.one({ policy: 'degrade, then refuse' }).mean('p90Ms') <= 1.2 * TARGET_MS,
      found: (runs) =>
        `90th percentile ${seconds(runs.one({ policy: 'degrade, then refuse' }).mean('p90Ms'), 1)}`,
      missed:
        'To reject 99 % of the 200 requests/s that 1000 users send, the service must answer about 2 requests/s at its lowest quality. SEDA adds 0.8 to 1.8 requests/s in each step, so a single step brings as much again as the service can answer, and half of the time a queue is left. The paper does not give the capacity of its service in this experiment.',
    },
    {
      text: 'A very large part is rejected (99 %; at least 97 %)',
      holds: (runs) => runs.one({ policy: 'degrade, then refuse' }).mean('rejected') >= 0.97,
      found: (runs) =>
        `${percent(runs.one({ policy: 'degrade, then refuse' }).mean('rejected'))} rejected`,
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
