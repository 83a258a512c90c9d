import { curvesOf, violatedOf } from '../provisioning/measures.ts'
import { Planned } from '../provisioning/planned.ts'
import type { Experiment } from './experiment.ts'
import { rulesOf, runHostedSite, SESSION_REQUESTS, SLA, TARGET_MS } from './provisioning-site.ts'
import type { Run, Runs } from './runs.ts'
import { list, percent } from './words.ts'
import { DAY_S, dayRates, INTERVAL_S, INTERVALS, peakOf, usualPredictor } from './world-cup.ts'

/** The database has sufficient capacity, as the paper assumes. */
const TIERS = [
  { name: 'web', servers: 1 },
  { name: 'app', servers: 2 },
] as const
/** §8.3.3 */
const AVAILABLE = 13

const DAYS: Readonly<Record<string, number>> = { typical: 1, twice: 2.2, 'twenty times': 20 }

interface Method {
  readonly predicts: boolean
  readonly reacts: boolean
  readonly polices: boolean
}

const METHODS: Readonly<Record<string, Method>> = {
  'predictive alone': { predicts: true, reacts: false, polices: false },
  'reactive alone': { predicts: false, reacts: true, polices: false },
  both: { predicts: true, reacts: true, polices: false },
  'both, with policing': { predicts: true, reacts: true, polices: true },
}

/** No reaction: no rate is so high or so low, and no part of the arrivals is more than all. */
const NEVER = { everyS: 30, refused: 1, above: 100, below: 0 }
/** The paper reacts once in five minutes of an hour. */
const REACT = { everyS: 100, pauseS: 50, maxStep: 2 }

const predicted = (run: Run): readonly number[] =>
  Array.from({ length: INTERVALS }, (_, i) => run.mean(`predicted${i + 1}`))

const violations = (runs: Runs, day: string, policies: readonly string[]): string =>
  list(policies.map((policy) => `${policy} ${percent(runs.one({ day, policy }).mean('violated'))}`))

/** (Urgaonkar et al. 2008, §8.3): predictive, reactive, both, and with policing. */
export const provisioningFigures12To15: Experiment = {
  name: 'provisioning-12-15',
  paper: 'provisioning',
  figure: 'Fig. 12, 13, 15',
  title:
    'Days like those of the World Cup 1998: a typical one, one with twice and one with twenty times its peak',
  seeds: { full: 5, short: 1 },
  points: () => Object.keys(DAYS).map((day) => ({ day })),
  policies: () => Object.keys(METHODS),
  async run({ day }, policy, seed) {
    const { predicts, reacts, polices } = METHODS[policy]!
    const predictor = usualPredictor(seed)
    const control = new Planned({
      ...{ name: 'rubis', sla: SLA, requestsPerSession: SESSION_REQUESTS },
      polices: polices ? 'servers' : 'all',
      rules: rulesOf(TIERS, reacts ? REACT : NEVER, {
        ...{ name: 'all', servers: AVAILABLE, origins: ['rubis'] },
      }),
      ...(predicts ? { predictor } : {}),
    })
    const rates = dayRates(DAYS[day!]!, seed)
    const log = runHostedSite({ tiers: TIERS, rates, seconds: DAY_S, control, seed })
    const intervals = Array.from({ length: INTERVALS }, (_, i) => {
      const [fromS, toS] = [i * INTERVAL_S, (i + 1) * INTERVAL_S]
      const part = log.slice(fromS, toS)
      const peak = peakOf(rates, i)
      const guess = control.predictedAt(fromS) ?? 0
      return { violated: violatedOf(part, TARGET_MS), predicted: guess / peak }
    })
    return {
      values: {
        violated: violatedOf(log, TARGET_MS),
        ...Object.fromEntries(intervals.map(({ violated }, i) => [`violated${i + 1}`, violated])),
        ...Object.fromEntries(intervals.map((part, i) => [`predicted${i + 1}`, part.predicted])),
        mostServers: Math.max(
          ...log.map(({ servers }) => Object.values(servers).reduce((sum, n) => sum + n, 0)),
        ),
      },
      curves: curvesOf(log),
    }
  },
  claims: [
    {
      text: 'On a typical day predictive provisioning is enough: the predicted peaks match the arrivals (0.9 to 1.3 of them), and the SLA is kept (violated in under 5 % of the time)',
      holds: (runs) => {
        const run = runs.one({ day: 'typical', policy: 'predictive alone' })
        const isNear = predicted(run).every((part) => part > 0.9 && part < 1.3)
        return isNear && run.mean('violated') < 0.05
      },
      found: (runs) => {
        const run = runs.one({ day: 'typical', policy: 'predictive alone' })
        return `${list(predicted(run).map((part) => part.toFixed(2)))} of the peaks; violated in ${percent(run.mean('violated'))}`
      },
    },
    {
      text: 'On a day with twice the load the prediction is too low in Interval 2, and recent trends correct it: it is almost equal in Interval 4',
      holds: (runs) => {
        const [, second = 0, third = 0, fourth = 0] = predicted(
          runs.one({ day: 'twice', policy: 'predictive alone' }),
        )
        return second < 0.8 && third < 0.9 && fourth > 0.85 && fourth > third
      },
      found: (runs) =>
        `${list(predicted(runs.one({ day: 'twice', policy: 'predictive alone' })).map((part) => part.toFixed(2)))} of the peaks`,
    },
    {
      text: 'There, predictive alone and reactive alone violate the SLA repeatedly',
      holds: (runs) =>
        ['predictive alone', 'reactive alone'].every(
          (policy) => runs.one({ day: 'twice', policy }).mean('violated') > 0.05,
        ),
      found: (runs) => violations(runs, 'twice', ['predictive alone', 'reactive alone']),
      missed:
        "each alone violates it in Interval 2 with some seeds only, and both together with none: the order is the paper's, the size is not. The product plans for the arrivals of the last minutes if they are above the prediction, and for a percentile with the bound of a G/G/1 queue, which leaves room for what a prediction misses. At twenty times the load they differ",
    },
    {
      text: 'With twenty times the load, both together violate it less than either alone',
      holds: (runs) => {
        const of = (policy: string) => runs.one({ day: 'twenty times', policy }).mean('violated')
        return of('predictive alone') > of('both') && of('reactive alone') > of('both')
      },
      found: (runs) =>
        violations(runs, 'twenty times', ['predictive alone', 'reactive alone', 'both']),
    },
    {
      text: 'With twenty times the load and 13 servers, the SLA is violated in Intervals 3 and 4 without policing, and kept with it (violated in under 10 %)',
      holds: (runs) => {
        const without = runs.one({ day: 'twenty times', policy: 'both' })
        const withIt = runs.one({ day: 'twenty times', policy: 'both, with policing' })
        const isBad = [3, 4].every((i) => without.mean(`violated${i}`) > 0.8)
        return isBad && [3, 4].every((i) => withIt.mean(`violated${i}`) < 0.1)
      },
      found: (runs) =>
        list(
          ['both', 'both, with policing'].map((policy) => {
            const run = runs.one({ day: 'twenty times', policy })
            return `${policy}: ${percent(run.mean('violated3'))} and ${percent(run.mean('violated4'))}`
          }),
        ),
    },
    {
      text: 'The servers are never more than there are',
      holds: (runs) => runs.every((run) => run.mean('mostServers') <= AVAILABLE),
      found: (runs) =>
        `at most ${Math.max(...runs.means('mostServers')).toFixed(0)} of ${AVAILABLE}`,
    },
  ],
  plots: Object.keys(DAYS).flatMap((day) => [
    {
      ...{ title: `Sessions offered, ${day}`, x: 'time, s', y: 'sessions/s' },
      ...{ show: { curve: 'offered' }, where: { day } },
    },
    {
      ...{ title: `Servers, ${day}`, x: 'time, s', y: 'servers' },
      ...{ show: { curve: 'servers' }, where: { day } },
    },
    {
      ...{ title: `95th percentile, ${day}`, x: 'time, s', y: 'ms', show: { curve: 'p95Ms' } },
      ...{ where: { day }, mark: TARGET_MS, logarithmic: true },
    },
  ]),
}
