import { letAllIn } from '../gate/policy.ts'
import type { TraceLine } from '../gate/run-plant.ts'
import type { Curve } from './experiment.ts'
import { between, curveOf, percentileMs } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import { mailService, perStageWithLimitOf, TYPE_NAMES } from './seda-mail.ts'
import { seconds } from './words.ts'

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

/** 0: the curve has no points there. */
const lowest = (curve: Curve, fromS: number, toS: number): number =>
  curve
    .filter(([atS]) => atS > fromS && atS <= toS)
    .reduce((least, [, y]) => (least === 0 ? y : Math.min(least, y)), 0)

/** (Welsh and Culler 2003, §4.2): the controller of one stage while 1000 users come and leave. */
export const sedaFigure7 = onPlant<Record<string, never>>({
  name: 'seda-7',
  paper: 'seda',
  figure: 'Fig. 7',
  title: 'The controller of "list folders" in a spike of 1000 users from 70 to 150 s, target 1 s',
  vary: {},
  short: {},
  seeds: { full: 5, short: 1 },
  system: () => ({
    plant: mailService({
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
      holds: (runs) => {
        const run = runs.one({ policy: 'per stage' })
        return run.mean('rateLowest') <= run.mean('rateBefore') / 10
      },
      found: (runs) => {
        const run = runs.one({ policy: 'per stage' })
        return `${run.mean('rateBefore').toFixed(1)}/s before the spike, ${run.mean('rateLowest').toFixed(2)}/s at the lowest`
      },
    },
    {
      text: 'Response times stay within 4 s in the spike, once the controller has seen it',
      holds: (runs) => runs.one({ policy: 'per stage' }).mean('settledMs') <= 4000,
      found: (runs) =>
        `90th percentile ${seconds(runs.one({ policy: 'per stage' }).mean('settledMs'), 1)}, without control ${seconds(runs.one({ policy: 'none' }).mean('settledMs'), 1)}`,
      missed:
        'Seven stages start at 10 requests/s each. Until the first slow answers come back they let in several times the 14 requests/s that the service of Fig. 9 answers. This backlog lasts for most of the spike. The paper does not give the capacity of its service in this experiment.',
    },
    {
      text: 'After the spike the rate grows again, more slowly than it fell',
      holds: (runs) => {
        const run = runs.one({ policy: 'per stage' })
        return run.mean('rateAfter') > 2 * run.mean('rateLowest')
      },
      found: (runs) => {
        const run = runs.one({ policy: 'per stage' })
        return `${run.mean('rateLowest').toFixed(2)}/s at the lowest, ${run.mean('rateAfter').toFixed(1)}/s 450 s after the spike`
      },
    },
  ],
  plots: [
    {
      title: '90th percentile of "list folders" in intervals of 5 s',
      x: 'time, s',
      y: 'ms',
      show: { curve: 'p90Ms' },
      mark: TARGET_MS,
      logarithmic: true,
    },
    {
      title: 'Admission rate of the stage',
      x: 'time, s',
      y: 'requests/s',
      show: { curve: 'rate' },
      where: {},
      logarithmic: true,
    },
  ],
})
