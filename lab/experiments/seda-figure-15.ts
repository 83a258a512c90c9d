import { admittedPart, between, curveOf, percentileMs } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import type { Runs } from './runs.ts'
import { aimd, mailService } from './seda-mail.ts'
import { percent, seconds } from './words.ts'

const TARGET_MS = 10_000
const FROM_S = 300
const TO_S = 600

const high = (runs: Runs, policy: string): number => runs.one({ policy }).mean('high')
const low = (runs: Runs, policy: string): number => runs.one({ policy }).mean('low')
const told = (runs: Runs, policy: string): string =>
  `${percent(low(runs, policy))} of the low and ${percent(high(runs, policy))} of the high priority; 90th percentile ${seconds(runs.one({ policy }).mean('p90Ms'), 1)}`

/** (Welsh and Culler 2003, §4.6): 128 users, then 128 more with a higher priority for a while. */
export const sedaFigure15 = onPlant<Record<string, never>>({
  name: 'seda-15',
  paper: 'seda',
  figure: 'Fig. 14, 15',
  title: 'Two classes of 128 users each, with and without differentiation, target 10 s',
  vary: {},
  short: {},
  seeds: { full: 5, short: 3 },
  system: () => ({
    plant: mailService({
      targetMs: TARGET_MS,
      classes: [
        { name: 'high', value: 2 },
        { name: 'low', value: 1 },
      ],
      groups: [
        { users: 128, class: 1, fromMs: 0, overMs: 60_000 },
        { users: 128, class: 0, fromMs: FROM_S * 1000, overMs: 10_000, untilMs: TO_S * 1000 },
      ],
    }),
    seconds: 900,
    measureFromSeconds: FROM_S,
  }),
  policies: { undifferentiated: () => aimd(), differentiated: () => aimd(true) },
  measure({ trace }) {
    const both = between(trace, FROM_S + 20, TO_S)
    return {
      values: {
        high: 1 - admittedPart(both, 0),
        low: 1 - admittedPart(both, 1),
        p90Ms: percentileMs(both, 90),
      },
      curves: {
        p90Ms: curveOf(trace, 10, (part) => percentileMs(part, 90)),
        high: curveOf(both, 10, (part) => 1 - admittedPart(part, 0)),
        low: curveOf(trace, 10, (part) => 1 - admittedPart(part, 1)),
      },
    }
  },
  claims: [
    {
      text: 'Without differentiation both classes are rejected equally (55.5 and 57.6 %; within 5 points)',
      holds: (runs) =>
        Math.abs(low(runs, 'undifferentiated') - high(runs, 'undifferentiated')) < 0.05,
      found: (runs) => told(runs, 'undifferentiated'),
    },
    {
      text: 'With it far more of the low priority is rejected (87.9 and 48.8 %; at least 20 points apart)',
      holds: (runs) => low(runs, 'differentiated') - high(runs, 'differentiated') > 0.2,
      found: (runs) => told(runs, 'differentiated'),
    },
    {
      text: 'The high priority is rejected less than without differentiation, the low priority more',
      holds: (runs) =>
        high(runs, 'differentiated') < high(runs, 'undifferentiated') &&
        low(runs, 'differentiated') > low(runs, 'undifferentiated'),
      found: (runs) =>
        `high ${percent(high(runs, 'differentiated'))} instead of ${percent(high(runs, 'undifferentiated'))}, low ${percent(low(runs, 'differentiated'))} instead of ${percent(low(runs, 'undifferentiated'))}`,
    },
  ],
  plots: [
    {
      title: '90th percentile in intervals of 10 s',
      x: 'time, s',
      y: 'ms',
      show: { curve: 'p90Ms' },
      mark: TARGET_MS,
    },
    { title: 'Rejected share, high priority', x: 'time, s', y: '', show: { curve: 'high' } },
    { title: 'Rejected share, low priority', x: 'time, s', y: '', show: { curve: 'low' } },
  ],
})
void seconds
void percent

export type { Runs }
