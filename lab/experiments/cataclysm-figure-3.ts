import { OVERLOAD_PLOTS, runOverload } from './cataclysm-overload.ts'
import { batchPolicer } from './cataclysm-policers.ts'
import { CLASSES, TARGET_MS } from './cataclysm-site.ts'
import type { Claim, Experiment } from './experiment.ts'
import type { Runs } from './runs.ts'
import { list, percent } from './words.ts'

/** Servers that are full at 60.6 requests/s each: eq. 4 keeps the SLA without slack. */
const SERVICE_MS = 16.5

const part = (runs: Runs, phase: string, klass: string): number =>
  runs.one({ policy: 'batch' }).mean(`${phase} ${klass}`)

const parts = (runs: Runs, phase: string): string =>
  `admitted ${list(CLASSES.map((name) => `${percent(part(runs, phase, name))} of ${name}`))}`

const claim = (
  text: string,
  phase: string,
  holds: (of: (name: string) => number) => boolean,
): Claim => ({
  text,
  holds: (runs) => holds((name) => part(runs, phase, name)),
  found: (runs) => parts(runs, phase),
})

/**
 * (Urgaonkar and Shenoy 2005, §6.2): three classes, three servers of 60 requests/s, three surges,
 * batch policing.
 */
export const cataclysmFigure3: Experiment = {
  name: 'cataclysm-3',
  paper: 'cataclysm',
  figure: 'Fig. 3',
  title: 'Batch policing of Gold, Silver and Bronze during an overload',
  seeds: { full: 5, short: 1 },
  policies: () => ['batch'],
  points: () => [{}],
  run: async (_point, _policy, seed) => runOverload(batchPolicer, { serviceMs: SERVICE_MS, seed }),
  claims: [
    claim(
      'Nearly all requests are admitted until t = 130 s (99 %)',
      'calm',
      (of) => Math.min(of('gold'), of('silver'), of('bronze')) > 0.99,
    ),
    claim(
      'From 130 to 195 s almost only Bronze requests are dropped',
      'bronzeSurge',
      (of) => Math.min(of('gold'), of('silver')) > 0.98 && of('bronze') < 0.6,
    ),
    claim(
      'At 195 s Silver surges, and the admission of Bronze drops to almost zero (to a fifth at most)',
      'silverSurge',
      (of) => of('gold') > 0.99 && of('silver') > 0.85 && of('bronze') < 0.2,
    ),
    claim(
      'From 210 s only Gold is admitted; of its 200/s three servers take 180',
      'goldSurge',
      (of) => Math.abs(of('gold') - 0.9) < 0.03 && of('silver') < 0.05 && of('bronze') < 0.02,
    ),
    {
      text: 'The 95th percentile of admitted requests stays below 1000 ms all the time',
      holds: (runs) => runs.one({ policy: 'batch' }).mean('worstMs') <= TARGET_MS,
      found: (runs) =>
        `worst stretch of 5 s: ${runs.one({ policy: 'batch' }).mean('worstMs').toFixed(0)} ms`,
    },
  ],
  plots: OVERLOAD_PLOTS,
}
