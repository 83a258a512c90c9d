import { letAllIn } from '../gate/policy.ts'
import type { TraceLine } from '../gate/run-plant.ts'
import type { Curve } from './experiment.ts'
import { between, curveOf, percentileMs } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import type { Run, Runs } from './runs.ts'
import { mailService, perStageWithLimitOf, TYPE_NAMES } from './seda-mail.ts'
import { list, seconds } from './words.ts'

const TARGET_MS = 1000
const SPIKE_S = 70
const SPIKE_END_S = 150
const END_S = 600
const STAGE = TYPE_NAMES.indexOf('list-folders')

const ofStage = (trace: readonly TraceLine[]): readonly TraceLine[] =>
  trace.map((line) => ({
    ...line,
    sample: { ...line.sample, tiers: [line.sample.tiers[STAGE]!] },
  }))

/** The service of Fig. 9, and one of twice its capacity: the paper does not give that of Fig. 7. */
const AS_FIGURE_9 = 1
const TWICE = 2

const controlled = (runs: Runs, servers: number): Run => runs.one({ policy: 'per stage', servers })

/** 0: the curve has no points there. */
const lowest = (curve: Curve, fromS: number, toS: number): number =>
  curve
    .filter(([atS]) => atS > fromS && atS <= toS)
    .reduce((least, [, y]) => (least === 0 ? y : Math.min(least, y)), 0)

/** (Welsh and Culler 2003, §4.2): the controller of one stage while 1000 users come and leave. */
export const sedaFigure7 = onPlant<{ servers: number }>({
  name: 'seda-7',
  paper: 'seda',
  figure: 'Fig. 7',
  title: 'The controller of "list folders" in a spike of 1000 users from 70 to 150 s, target 1 s',
  vary: { servers: [AS_FIGURE_9, TWICE] },
  short: {},
  seeds: { full: 5, short: 1 },
  system: ({ servers }) => ({
    plant: mailService({
      servers,
      targetMs: TARGET_MS,
      groups: [
        { users: 3, class: 'type', fromMs: 0, overMs: 1000 },
        {
          users: 1000,
          class: 'type',
          fromMs: SPIKE_S * 1000,
          overMs: 5000,
          untilMs: SPIKE_END_S * 1000,
        },
      ],
    }),
    seconds: END_S,
    measureFromSeconds: SPIKE_S,
  }),
  policies: {
    none: () => ({ policy: letAllIn }),
    'per stage': () => ({ policy: perStageWithLimitOf(STAGE) }),
  },
  measure({ trace }) {
    const rate = curveOf(trace, 1, (part) => part[0]!.limit)
    const finite = rate.filter(([, y]) => Number.isFinite(y))
    const before = finite.findLast(([atS]) => atS <= SPIKE_S)?.[1] ?? 0
    const response = curveOf(ofStage(trace), 5, (part) => percentileMs(part, 90))
    return {
      values: {
        p90Ms: percentileMs(ofStage(between(trace, SPIKE_S, SPIKE_END_S)), 90),
        // The first 15 s belong to the requests that came in before the controller could react.
        settledMs: percentileMs(ofStage(between(trace, SPIKE_S + 15, SPIKE_END_S)), 90),
        rateBefore: before,
        rateLowest: lowest(finite, SPIKE_S, SPIKE_END_S),
        rateAfter: finite.at(-1)?.[1] ?? 0,
      },
      curves: { p90Ms: response, rate: finite },
    }
  },
  claims: [
    {
      text: 'The controller cuts the admission rate of the stage many times over (tenfold at least)',
      holds: (runs) =>
        [AS_FIGURE_9, TWICE].every((servers) => {
          const run = controlled(runs, servers)
          return run.mean('rateLowest') <= run.mean('rateBefore') / 10
        }),
      found: (runs) =>
        list(
          [AS_FIGURE_9, TWICE].map((servers) => {
            const run = controlled(runs, servers)
            return `${run.mean('rateBefore').toFixed(1)}/s before the spike and ${run.mean('rateLowest').toFixed(2)}/s at the lowest with ${servers === TWICE ? 'twice the capacity' : 'the capacity of Fig. 9'}`
          }),
        ),
    },
    {
      text: 'Response times stay within 4 s in the spike, once the controller has seen it, with twice the capacity of Fig. 9',
      holds: (runs) => controlled(runs, TWICE).mean('settledMs') <= 4000,
      found: (runs) =>
        `90th percentile ${seconds(controlled(runs, TWICE).mean('settledMs'), 1)}, without control ${seconds(runs.one({ policy: 'none', servers: TWICE }).mean('settledMs'), 1)}`,
    },
    {
      text: 'The same with the capacity of Fig. 9',
      holds: (runs) => controlled(runs, AS_FIGURE_9).mean('settledMs') <= 4000,
      found: (runs) =>
        `90th percentile ${seconds(controlled(runs, AS_FIGURE_9).mean('settledMs'), 1)}, without control ${seconds(runs.one({ policy: 'none', servers: AS_FIGURE_9 }).mean('settledMs'), 1)}`,
      missed:
        'Seven stages start at 10 requests/s each. Until the first slow answers come back they let in several times the 14 requests/s that the service of Fig. 9 answers. This backlog lasts for most of the spike. The paper does not give the capacity of its service in this experiment.',
    },
    {
      text: 'After the spike the rate grows again, more slowly than it fell',
      holds: (runs) =>
        [AS_FIGURE_9, TWICE].every((servers) => {
          const run = controlled(runs, servers)
          return run.mean('rateAfter') > 2 * run.mean('rateLowest')
        }),
      found: (runs) => {
        const run = controlled(runs, AS_FIGURE_9)
        return `${run.mean('rateLowest').toFixed(2)}/s at the lowest, ${run.mean('rateAfter').toFixed(1)}/s 450 s after the spike`
      },
    },
  ],
  plots: [
    {
      title:
        '90th percentile of "list folders" in intervals of 5 s, with twice the capacity of Fig. 9',
      x: 'time, s',
      y: 'ms',
      show: { curve: 'p90Ms' },
      where: { servers: TWICE },
      mark: TARGET_MS,
      logarithmic: true,
    },
    {
      title: 'Admission rate of the stage, with twice the capacity of Fig. 9',
      x: 'time, s',
      y: 'requests/s',
      show: { curve: 'rate' },
      where: { servers: TWICE },
      logarithmic: true,
    },
  ],
})
