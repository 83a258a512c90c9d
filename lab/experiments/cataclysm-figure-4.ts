import { batchPolicer, thresholdPolicer } from './cataclysm-policers.ts'
import { runSite } from './cataclysm-site.ts'
import type { Experiment } from './experiment.ts'
import type { Run, Runs } from './runs.ts'
import { list } from './words.ts'

const RATES = [100, 1000, 4000, 19_000]
const POLICERS = { batch: batchPolicer, threshold: thresholdPolicer({ periodS: 15, burst: null }) }

const testsPerSecond = (run: Run): number => run.mean('testsPerRequest') * run.at('rate')

const each = (runs: Runs): string =>
  list(runs.map((run) => `${run.mean('testsPerRequest').toFixed(2)} at ${run.at('rate')}/s`))

/**
 * (Urgaonkar and Shenoy 2005, §6.3): the cost of a decision. The paper measures CPU time; `npm run bench
 * -- policing` does this for our code. The lab has no clock, so it counts the batches that eq. 4 tests.
 */
export const cataclysmFigure4: Experiment = {
  name: 'cataclysm-4',
  paper: 'cataclysm',
  figure: 'Fig. 4',
  title: 'Tests of batch and threshold policing as requests grow',
  seeds: { full: 3, short: 1 },
  policies: () => Object.keys(POLICERS),
  points: (form) => (form === 'full' ? RATES : RATES.slice(0, 3)).map((rate) => ({ rate })),
  async run({ rate }, policy, seed, form) {
    const third = Number(rate) / 3
    const { log, tests } = runSite({
      surges: { 0: [third, third, third] },
      seconds: form === 'full' ? 30 : 10,
      serviceMs: 16.5,
      policer: POLICERS[policy as keyof typeof POLICERS],
      seed,
    })
    return { values: { testsPerRequest: tests / log.requests }, curves: {} }
  },
  claims: [
    {
      text: 'One test serves several requests: at every rate fewer than 0.7 tests per request',
      holds: (runs) =>
        runs.where({ policy: 'batch' }).every((run) => run.mean('testsPerRequest') < 0.7),
      found: (runs) => `tests per request: ${each(runs.where({ policy: 'batch' }))}`,
    },
    {
      text: 'The cost of batch policing still grows with the rate; threshold policing tests nothing per request',
      holds: (runs) =>
        testsPerSecond(runs.one({ policy: 'batch', rate: 4000 })) >
          2 * testsPerSecond(runs.one({ policy: 'batch', rate: 1000 })) &&
        runs.where({ policy: 'threshold' }).every((run) => run.mean('testsPerRequest') === 0),
      found: (runs) =>
        `tests per second: ${list(runs.where({ policy: 'batch' }).map((run) => `${testsPerSecond(run).toFixed(0)} at ${run.at('rate')}/s`))}; threshold 0`,
    },
  ],
  plots: [
    {
      title: 'Tests per request',
      x: 'requests/s',
      y: '',
      show: { value: 'testsPerRequest', against: 'rate' },
    },
  ],
}
