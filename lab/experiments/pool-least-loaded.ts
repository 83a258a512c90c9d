import type { Balance } from '../../src/config/config.ts'
import type { Experiment } from './experiment.ts'
import { percentileOf, runPoolSite } from './pool-site.ts'
import type { Runs } from './runs.ts'

const SERVERS = 8
const SERVICE_MS = 40
/** Seven servers at full speed, one at half. */
const CAPACITY = ((SERVERS - 0.5) * 1000) / SERVICE_MS
const BALANCES: readonly Balance[] = ['weighted', 'least-loaded']

const p95 = (runs: Runs, policy: string): number => runs.one({ policy }).mean('p95Ms')

/** Ours: one of eight servers works at half speed, and nobody has told the gate. */
export const poolLeastLoaded: Experiment = {
  name: 'pool-least-loaded',
  paper: 'provisioning',
  figure: 'ours: the layer-7 switch',
  title:
    'One of eight servers at half speed, 0.8 of the capacity: weights against the least loaded',
  seeds: { full: 5, short: 1 },
  policies: () => BALANCES,
  points: () => [{}],
  async run(_point, policy, seed, form) {
    const servers = Array.from({ length: SERVERS }, (_, i) => ({
      url: `http://${i}`,
      speed: i === 0 ? 0.5 : 1,
    }))
    const seconds = form === 'full' ? 600 : 200
    const log = runPoolSite({
      ...{ servers, serviceMs: SERVICE_MS, seconds, seed },
      apps: [
        {
          rate: 0.8 * CAPACITY,
          pool: {
            servers: servers.map(({ url }) => ({ url, weight: 1 })),
            balance: policy as Balance,
          },
        },
      ],
    })
    const settled = log.filter(({ atMs }) => atMs > 30_000).map(({ responseMs }) => responseMs)
    const parts = Array.from({ length: 20 }, (_, i) => (i + 0.5) / 20)
    return {
      values: { p95Ms: percentileOf(settled, 0.95), p50Ms: percentileOf(settled, 0.5) },
      curves: {
        percentiles: parts.map((part) => [100 * part, percentileOf(settled, part)] as const),
      },
    }
  },
  claims: [
    {
      text: 'The 95th percentile with "least-loaded" is at most 0.7 of that with weights',
      holds: (runs) => p95(runs, 'least-loaded') <= 0.7 * p95(runs, 'weighted'),
      found: (runs) =>
        `${p95(runs, 'least-loaded').toFixed(0)} ms against ${p95(runs, 'weighted').toFixed(0)} ms`,
    },
  ],
  plots: [
    {
      title: 'Response times by percentile',
      x: 'percentile',
      y: 'ms',
      show: { curve: 'percentiles' },
      logarithmic: true,
    },
  ],
}
