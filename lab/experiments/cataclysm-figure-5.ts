import { OVERLOAD_PLOTS, runOverload } from './cataclysm-overload.ts'
import { thresholdPolicer } from './cataclysm-policers.ts'
import type { Experiment } from './experiment.ts'
import { percent, seconds } from './words.ts'

/** A threshold enforced by draws only needs slack: 60/s are 0.84 of these servers' capacity. */
const SERVICE_MS = 14
const POLICERS = {
  'each 15 s': thresholdPolicer({ periodS: 15, burst: null }),
  'each second': thresholdPolicer({ periodS: 1, burst: null }),
  'each second, with a bucket': thresholdPolicer({ periodS: 1, burst: 45 }),
}

/** (Urgaonkar and Shenoy 2005, §6.3): the load of Fig. 3 with threshold policing. */
export const cataclysmFigure5: Experiment = {
  name: 'cataclysm-5',
  paper: 'cataclysm',
  figure: 'Fig. 5',
  title: 'Threshold policing of the same overload',
  seeds: { full: 5, short: 1 },
  policies: () => Object.keys(POLICERS),
  points: () => [{}],
  run: async (_point, policy, seed) =>
    runOverload(POLICERS[policy as keyof typeof POLICERS], { serviceMs: SERVICE_MS, seed }),
  claims: [
    {
      text: 'Computed each 15 s, the threshold is too high after the surges at 130 and 195 to 210 s, and response times suffer only then',
      holds: (runs) => {
        const run = runs.one({ policy: 'each 15 s' })
        return run.mean('badS') > 10 && run.mean('badElsewhereS') === 0
      },
      found: (runs) => {
        const run = runs.one({ policy: 'each 15 s' })
        return `over 1000 ms for ${run.mean('badS').toFixed(0)} s, of these ${run.mean('badElsewhereS').toFixed(0)} s at other times; worst ${seconds(run.mean('worstMs'))}`
      },
    },
    {
      text: 'With the right threshold Bronze is rejected first, then Silver too, and 0.9 of Gold is admitted (the paper prints 0.5, which contradicts its own numbers)',
      holds: (runs) => {
        const run = runs.one({ policy: 'each second' })
        return (
          run.mean('bronzeSurge gold') > 0.99 &&
          run.mean('bronzeSurge silver') > 0.99 &&
          Math.abs(run.mean('goldSurge gold') - 0.9) < 0.02 &&
          run.mean('goldSurge silver') < 0.02
        )
      },
      found: (runs) => {
        const run = runs.one({ policy: 'each second' })
        return `Gold ${percent(run.mean('goldSurge gold'))}, Silver ${percent(run.mean('goldSurge silver'))}, Bronze ${percent(run.mean('goldSurge bronze'))} while Gold surges`
      },
    },
    {
      text: 'Ours: computed each second and with a token bucket, as in the product, response times never suffer',
      holds: (runs) => runs.one({ policy: 'each second, with a bucket' }).mean('badS') === 0,
      found: (runs) =>
        `over 1000 ms for ${runs.one({ policy: 'each second, with a bucket' }).mean('badS').toFixed(0)} s, against ${runs.one({ policy: 'each second' }).mean('badS').toFixed(0)} s without the bucket`,
    },
  ],
  plots: OVERLOAD_PLOTS,
}
