import type { Form } from './experiment.ts'
import { between, curveOf, meanOf } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import type { Runs } from './runs.ts'
import { CURVE_S, intervalP95s, mean } from './soc-measures.ts'
import { soc, socLqr, socShop } from './soc-shop.ts'
import { list, seconds } from './words.ts'

const SLA_MS = 5000
const LOW = new Array<number>(10).fill(1)
const TOP = new Array<number>(10).fill(2)

/** Servers by speed before and after: 30 units to 50, 50 to 40, 50 to 30. */
const CHANGES = {
  'ten top servers more': { before: [...TOP, ...LOW], after: [...TOP, ...TOP, ...LOW] },
  'ten low servers fail': { before: [...TOP, ...TOP, ...LOW], after: [...TOP, ...TOP] },
  'ten top servers fail': { before: [...TOP, ...TOP, ...LOW], after: [...TOP, ...LOW] },
} as const
type Change = keyof typeof CHANGES

/** The paper waits 60 000 s; here the rate limit settles long before that. */
const changeS = (form: Form): number => (form === 'full' ? 10_800 : 5400)

/** The limit scaled by capacity units, as a share of the limit after settling. */
const guessed = (runs: Runs, change: Change): number => {
  const run = runs.one({ policy: 'soc', change })
  return (ratioOf(change) * run.mean('before')) / run.mean('settled')
}

const ratioOf = (change: Change): number => {
  const units = (speeds: readonly number[]) => speeds.reduce((sum, speed) => sum + speed, 0)
  return units(CHANGES[change].after) / units(CHANGES[change].before)
}

const told = (runs: Runs, change: Change): string => {
  const run = runs.one({ policy: 'soc', change })
  const scaled = ratioOf(change) * run.mean('before')
  return `${run.mean('before').toFixed(2)} sessions/s before, scaled to ${scaled.toFixed(2)}, settled at ${run.mean('settled').toFixed(2)}; 95th percentile ${seconds(run.mean('p95AfterMs'))} at first, ${seconds(run.mean('p95SettledMs'))} settled`
}

const changesIn = (runs: Runs): readonly Change[] => [
  ...new Set(runs.map((run) => run.point.change as Change)),
]

/**
 * (Bartolini et al. 2009, §7.6.2): fast and slow servers come and go. Scaling by capacity units is
 * only a first guess.
 */
export const socFigures23To31 = onPlant<{ change: Change }>({
  name: 'soc-23-31',
  paper: 'soc',
  figure: 'Fig. 23 to 31',
  title: 'Servers of two speeds: an addition and two faults, announced',
  vary: { change: Object.keys(CHANGES) as Change[] },
  short: { change: ['ten top servers fail'] },
  seeds: { full: 3, short: 1 },
  system: ({ change }, form) => {
    const { before, after } = CHANGES[change]
    return {
      plant: socShop({
        sessionsPerSecond: 6,
        servers: before,
        changes: [{ atMs: changeS(form) * 1000, servers: after, announced: true }],
      }),
      seconds: changeS(form) + (form === 'full' ? 10_800 : 3600),
      measureFromSeconds: changeS(form),
    }
  },
  policies: { soc: () => soc(), 'soc-lqr': () => socLqr() },
  fullOnly: ['soc-lqr'],
  measure({ trace }, _point, { seconds: endS, measureFromSeconds: atS = 0 }) {
    const admittedIn = (fromS: number, toS: number) =>
      meanOf(between(trace, fromS, toS), ({ sample }) => sample.admitted.sessions)
    const p95In = (fromS: number, toS: number) => mean(intervalP95s(between(trace, fromS, toS)))
    return {
      values: {
        before: admittedIn(atS / 2, atS),
        settled: admittedIn((atS + endS) / 2, endS),
        p95BeforeMs: p95In(atS / 2, atS),
        p95AfterMs: p95In(atS, atS + 900),
        p95SettledMs: p95In((atS + endS) / 2, endS),
      },
      curves: {
        limit: curveOf(trace, CURVE_S, (part) => meanOf(part, ({ limit }) => Math.min(limit, 10))),
        active: curveOf(trace, CURVE_S, (part) => meanOf(part, (line) => line.activeSessions)),
        p95Ms: curveOf(trace, 5 * CURVE_S, (part) => mean(intervalP95s(part))),
      },
    }
  },
  claims: [
    {
      text: 'Scaling is a good first guess: it is within 15 % of the final limit',
      holds: (runs) =>
        changesIn(runs).every((change) => Math.abs(guessed(runs, change) - 1) <= 0.15),
      found: (runs) =>
        changesIn(runs)
          .map((change) => `${change}: ${told(runs, change)}`)
          .join('. '),
    },
    {
      text: 'Learning brings the response time back to the SLA (mean of the intervals, within 15 %)',
      holds: (runs) =>
        runs
          .where({ policy: 'soc' })
          .every((run) => Math.abs(run.mean('p95SettledMs') - SLA_MS) <= 0.15 * SLA_MS),
      found: (runs) =>
        list(
          changesIn(runs).map((change) =>
            seconds(runs.one({ policy: 'soc', change }).mean('p95SettledMs')),
          ),
        ),
    },
    {
      text: 'The guess is too low after an addition and after the loss of slow servers, too high after the loss of fast ones',
      holds: (runs) =>
        changesIn(runs).every((change) =>
          change === 'ten top servers fail' ? guessed(runs, change) > 1 : guessed(runs, change) < 1,
        ),
      found: (runs) =>
        list(changesIn(runs).map((change) => `${guessed(runs, change).toFixed(3)} (${change})`)),
      missed:
        'A larger or faster pool can run 1 to 3 % closer to its capacity at the same percentile. The limit itself varies by 5 to 10 %, here after 3 hours as in the paper after 17, so the sign is not visible.',
    },
  ],
  plots: (Object.keys(CHANGES) as Change[]).flatMap((change) => [
    {
      title: `Rate limit: ${change}`,
      x: 'time, s',
      y: 'sessions/s',
      show: { curve: 'limit' },
      where: { change },
    },
    {
      title: `95th percentile: ${change}`,
      x: 'time, s',
      y: 'ms',
      show: { curve: 'p95Ms' },
      where: { change },
      mark: SLA_MS,
    },
  ]),
})
