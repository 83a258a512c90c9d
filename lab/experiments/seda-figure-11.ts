import { admittedPart, between, percentileMs } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import type { Runs } from './runs.ts'
import { aimd, mailService, perStage, TYPE_NAMES } from './seda-mail.ts'
import { percent, seconds } from './words.ts'

const TARGET_MS = 10_000
const WARM_S = 60

/** Cheap and frequent, and costly and frequent. */
const CHEAP = ['show-msg', 'delete', 'refile'] as const
const COSTLY = ['list-folders', 'list-msgs'] as const

const rejected = (runs: Runs, policy: string, type: string): number =>
  runs.one({ policy }).mean(`rejected ${type}`)
const meanRejected = (runs: Runs, policy: string, types: readonly string[]): number =>
  types.reduce((sum, type) => sum + rejected(runs, policy, type), 0) / types.length
const p90Ms = (runs: Runs, policy: string): number => runs.one({ policy }).mean('p90Ms')
const told = (runs: Runs, policy: string): string =>
  `rejected ${TYPE_NAMES.map((type) => `${type} ${percent(rejected(runs, policy, type))}`).join(', ')}`

/** (Welsh and Culler 2003, §4.4, Fig. 11): one controller per type of request against one for all. */
export const sedaFigure11 = onPlant<Record<string, never>>({
  name: 'seda-11',
  paper: 'seda',
  figure: 'Fig. 11',
  title: 'One controller per type of request and one for all, 128 users, target 10 s',
  vary: {},
  short: {},
  seeds: { full: 5, short: 2 },
  system: () => ({
    plant: mailService({
      targetMs: TARGET_MS,
      groups: [{ users: 128, class: 'type', fromMs: 0, overMs: 20_000 }],
    }),
    seconds: 900,
    measureFromSeconds: WARM_S,
  }),
  policies: { 'per stage': () => ({ policy: perStage }), single: () => aimd() },
  measure({ trace }) {
    const warm = between(trace, WARM_S)
    const ofType = (type: string, i: number): [string, number] => [
      `rejected ${type}`,
      1 - admittedPart(warm, i),
    ]
    return {
      values: { p90Ms: percentileMs(warm, 90), ...Object.fromEntries(TYPE_NAMES.map(ofType)) },
      curves: {},
    }
  },
  claims: [
    {
      text: 'With one controller for all, the frequent types are rejected alike (49.1 to 59.6 %; within 10 points)',
      holds: (runs) => {
        const all = [...CHEAP, ...COSTLY].map((type) => rejected(runs, 'single', type))
        return Math.max(...all) - Math.min(...all) < 0.1
      },
      found: (runs) => told(runs, 'single'),
    },
    {
      text: 'With one per type, costly types are rejected more than cheap ones (47.1 and 59.6 against 10.4 to 23.1 %; at least 15 points)',
      holds: (runs) =>
        meanRejected(runs, 'per stage', COSTLY) - meanRejected(runs, 'per stage', CHEAP) > 0.15,
      found: (runs) => told(runs, 'per stage'),
    },
    {
      text: 'Cheap requests are rejected less with one controller per type than with one for all',
      holds: (runs) => meanRejected(runs, 'per stage', CHEAP) < meanRejected(runs, 'single', CHEAP),
      found: (runs) =>
        `${percent(meanRejected(runs, 'per stage', CHEAP))} instead of ${percent(meanRejected(runs, 'single', CHEAP))}`,
    },
    {
      text: 'One controller for all is more aggressive: response times are lower',
      holds: (runs) => p90Ms(runs, 'single') < p90Ms(runs, 'per stage'),
      found: (runs) =>
        `90th percentile ${seconds(p90Ms(runs, 'single'), 1)} against ${seconds(p90Ms(runs, 'per stage'), 1)}`,
    },
  ],
  plots: [],
})
