import { poisson } from '../clients/arrivals.ts'
import { steps } from '../clients/profiles.ts'
import { singleRequests } from '../clients/single-requests.ts'
import { around } from '../engine/distributions.ts'
import { letAllIn } from '../gate/policy.ts'
import { sharing } from '../origins/sharing.ts'
import { ONE_ISOLATE } from '../tournament/scenario.ts'
import { SERVER_RATE, TARGET_MS } from './cataclysm-site.ts'
import { between, curveOf, meanOf, percentileMs } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import type { Run } from './runs.ts'
import { list, percent } from './words.ts'

/**
 * Five times as fast as in the paper: the rate doubles each minute instead of each five minutes.
 */
const RATES = { 0: 100, 60: 200, 120: 400, 180: 800, 240: 1600, 420: 100 }
/**
 * The servers that the paper's control plane adds, at the paper's times. Provisioning itself is not
 * simulated.
 */
const SERVERS: readonly (readonly [fromS: number, servers: number])[] = [
  [0, 3],
  [182, 4],
  [242, 5],
  [360, 8],
]
const END_S = 480
const OCCASION_S = 5

/** From each addition to the next, without the first seconds. */
const phaseOf = (index: number): readonly [number, number] => [
  SERVERS[index]![0] + 20,
  SERVERS[index + 1]?.[0] ?? 420,
]

const admittedEach = (run: Run): readonly number[] =>
  SERVERS.slice(1).map(([, servers]) => run.mean(`admitted${servers}`) / servers)

/**
 * (Urgaonkar and Shenoy 2005, §6.5) without provisioning: the load doubles repeatedly, servers are
 * added.
 */
export const cataclysmFigure7 = onPlant<Record<string, never>>({
  name: 'cataclysm-7',
  paper: 'cataclysm',
  figure: 'Fig. 7',
  title: 'A load that doubles up to nine times the capacity, while servers are added',
  vary: {},
  short: {},
  seeds: { full: 5, short: 1 },
  system: (_point, form) => ({
    plant: {
      granularity: 'request',
      sla: { percentile: 95, targetMs: TARGET_MS, windowMs: 30_000 },
      origin: sharing({ servers: 3 }),
      clients: singleRequests({
        arrivals: poisson(steps(RATES)),
        demand: around({ mean: 1000 / SERVER_RATE, spread: 0.03 }),
      }),
      changes: SERVERS.slice(1).map(([fromS, servers]) => ({
        atMs: fromS * 1000,
        servers,
        announced: true,
      })),
    },
    seconds: form === 'full' ? END_S : 420,
  }),
  policies: {
    'soc-lqr': () => ({ edge: { ...ONE_ISOLATE, learner: { name: 'soc-lqr', options: {} } } }),
    none: () => ({ policy: letAllIn }),
  },
  measure({ trace }) {
    const p95Ms = curveOf(trace, OCCASION_S, (part) => percentileMs(part, 95))
    const admitted = SERVERS.map(([, servers], i): [string, number] => [
      `admitted${servers}`,
      meanOf(between(trace, ...phaseOf(i)), ({ sample }) => sample.admitted.requests),
    ])
    return {
      values: {
        violated: p95Ms.filter(([, ms]) => ms > TARGET_MS).length / p95Ms.length,
        ...Object.fromEntries(admitted),
      },
      curves: {
        p95Ms,
        admitted: curveOf(trace, OCCASION_S, (part) =>
          meanOf(part, ({ sample }) => sample.admitted.requests),
        ),
        offered: curveOf(trace, OCCASION_S, (part) =>
          meanOf(part, ({ sample }) => sample.offered.requests),
        ),
      },
    }
  },
  claims: [
    {
      text: 'Response times are within the target with only sporadic violations, in fewer than 4 % of the intervals',
      holds: (runs) => runs.one({ policy: 'soc-lqr' }).mean('violated') < 0.04,
      found: (runs) =>
        `${percent(runs.one({ policy: 'soc-lqr' }).mean('violated'))} of the intervals of 5 s; without the gate ${percent(runs.one({ policy: 'none' }).mean('violated'))}`,
    },
    {
      text: 'The admission rate rises with every added server: to at least 85 % of the capacity of each',
      holds: (runs) =>
        admittedEach(runs.one({ policy: 'soc-lqr' })).every((rate) => rate >= 0.85 * SERVER_RATE),
      found: (runs) =>
        `${list(admittedEach(runs.one({ policy: 'soc-lqr' })).map((rate, i) => `${rate.toFixed(1)} requests/s each with ${SERVERS[i + 1]![1]}`))}`,
    },
  ],
  plots: [
    { title: 'Requests offered', x: 'time, s', y: 'requests/s', show: { curve: 'offered' } },
    { title: 'Requests admitted', x: 'time, s', y: 'requests/s', show: { curve: 'admitted' } },
    {
      title: '95th percentile',
      x: 'time, s',
      y: 'ms',
      show: { curve: 'p95Ms' },
      mark: TARGET_MS,
      logarithmic: true,
    },
  ],
})
