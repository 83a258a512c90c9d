import { letAllIn } from '../gate/policy.ts'
import { admittedPart, between, percentileMs } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import { mailService, perStage, TYPE_NAMES } from './seda-mail.ts'
import { list, percent, seconds } from './words.ts'

const TARGET_MS = 10_000

/** (Welsh and Culler 2003, §4.3): the mail service with more and more users. */
export const sedaFigure8 = onPlant<{ users: number }>({
  name: 'seda-8',
  paper: 'seda',
  figure: 'Fig. 8, 9',
  title: '90th percentile of the mail service against the number of users, target 10 s',
  vary: { users: [16, 64, 128, 256, 512, 1024] },
  short: { users: [16, 1024] },
  seeds: { full: 3, short: 1 },
  system: (point, form) => ({
    plant: mailService({
      targetMs: TARGET_MS,
      groups: [{ users: point.users, class: 'type', fromMs: 0, overMs: 60_000 }],
    }),
    seconds: form === 'full' ? 1200 : 900,
    measureFromSeconds: 300,
  }),
  policies: { none: () => ({ policy: letAllIn }), 'per stage': () => ({ policy: perStage }) },
  measure({ trace }, _point, { measureFromSeconds = 0 }) {
    const measured = between(trace, measureFromSeconds)
    const byType = TYPE_NAMES.map((name, type): [string, number] => [
      `${name} p90Ms`,
      percentileMs(onlyTier(measured, type), 90),
    ])
    return {
      values: {
        p90Ms: percentileMs(measured, 90),
        rejected: 1 - admittedPart(measured),
        ...Object.fromEntries(byType),
      },
      curves: {},
    }
  },
  claims: [
    {
      text: 'Without control the response time grows with the users, far beyond the target (four times at 1024)',
      holds: (runs) => runs.one({ policy: 'none', users: 1024 }).mean('p90Ms') > 4 * TARGET_MS,
      found: (runs) =>
        list(
          runs
            .where({ policy: 'none' })
            .map((run) => `${seconds(run.mean('p90Ms'), 1)} with ${run.at('users')} users`),
        ),
    },
    {
      text: 'Overload control meets the target despite a many-fold increase in load (10 s, within 10 %)',
      holds: (runs) =>
        runs.where({ policy: 'per stage' }).every((run) => run.mean('p90Ms') <= 1.1 * TARGET_MS),
      found: (runs) =>
        list(
          runs
            .where({ policy: 'per stage' })
            .map(
              (run) =>
                `${seconds(run.mean('p90Ms'), 1)} with ${run.at('users')} users (${percent(run.mean('rejected'), 0)} rejected)`,
            ),
        ),
    },
  ],
  plots: [
    {
      title: '90th percentile of all requests',
      x: 'users',
      y: 'ms',
      show: { value: 'p90Ms', against: 'users' },
      mark: TARGET_MS,
    },
    { title: 'Rejected part', x: 'users', y: '', show: { value: 'rejected', against: 'users' } },
  ],
})

function onlyTier(trace: Parameters<typeof percentileMs>[0], tier: number) {
  return trace.map((line) => ({
    ...line,
    sample: { ...line.sample, tiers: [line.sample.tiers[tier]!] },
  }))
}
