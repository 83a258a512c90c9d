import type { Form } from './experiment.ts'
import { between, curveOf, meanOf } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import type { Run } from './runs.ts'
import { CURVE_S, intervalP95s, mean } from './soc-measures.ts'
import { soc, socLqr, socShop } from './soc-shop.ts'
import { list, seconds } from './words.ts'

const SLA_MS = 5000
const SERVERS = [10, 20, 30, 40]

/** The paper waits 30 000 s between additions. Here the last third of a stage is measured. */
const stageS = (form: Form): number => (form === 'full' ? 9000 : 4500)

const limitPerServer = (run: Run): readonly number[] =>
  SERVERS.map((servers) => run.mean(`limit${servers}`) / servers)

/** (Bartolini et al. 2009, §7.6.1): ten more servers, three times, each time announced. */
export const socFigures20To22 = onPlant<Record<string, never>>({
  name: 'soc-20-22',
  paper: 'soc',
  figure: 'Fig. 20 to 22',
  title: 'Ten more servers, three times, at 6 sessions/s',
  vary: {},
  short: {},
  seeds: { full: 3, short: 1 },
  system: (_point, form) => ({
    plant: socShop({
      sessionsPerSecond: 6,
      servers: SERVERS[0]!,
      changes: SERVERS.slice(1).map((servers, i) => ({
        atMs: (i + 1) * stageS(form) * 1000,
        servers,
        announced: true,
      })),
    }),
    seconds: SERVERS.length * stageS(form),
  }),
  policies: { soc: () => soc(), 'soc-lqr': () => socLqr() },
  fullOnly: ['soc-lqr'],
  measure({ trace }, _point, { seconds: endS }) {
    const length = endS / SERVERS.length
    const values: Record<string, number> = {}
    for (const [stage, servers] of SERVERS.entries()) {
      const settled = between(trace, (stage + 2 / 3) * length, (stage + 1) * length)
      values[`limit${servers}`] = meanOf(settled, (line) => line.sample.admitted.sessions)
      values[`active${servers}`] = meanOf(settled, (line) => line.activeSessions)
      values[`p95Ms${servers}`] = mean(intervalP95s(settled))
      // Within a few minutes after the addition.
      const soon = between(trace, stage * length + 120, stage * length + 420)
      values[`soon${servers}`] = meanOf(soon, (line) => line.sample.admitted.sessions)
    }
    return {
      values,
      curves: {
        limit: curveOf(trace, CURVE_S, (part) => meanOf(part, ({ limit }) => Math.min(limit, 10))),
        active: curveOf(trace, CURVE_S, (part) => meanOf(part, (line) => line.activeSessions)),
        p95Ms: curveOf(trace, 5 * CURVE_S, (part) => mean(intervalP95s(part))),
      },
    }
  },
  claims: [
    {
      text: 'The rate limit grows in proportion to the servers (the rate per server differs by at most 15 %)',
      holds: (runs) => {
        const each = limitPerServer(runs.one({ policy: 'soc' }))
        return Math.max(...each) / Math.min(...each) <= 1.15
      },
      found: (runs) =>
        `${list(limitPerServer(runs.one({ policy: 'soc' })).map((rate, i) => `${rate.toFixed(4)} sessions/s each with ${SERVERS[i]}`))}`,
    },
    {
      text: 'It reacts rapidly: within minutes it admits 85 % of its final rate',
      holds: (runs) =>
        SERVERS.slice(1).every((servers) => {
          const run = runs.one({ policy: 'soc' })
          return run.mean(`soon${servers}`) >= 0.85 * run.mean(`limit${servers}`)
        }),
      found: (runs) => {
        const run = runs.one({ policy: 'soc' })
        return list(
          SERVERS.slice(1).map(
            (servers) =>
              `${run.mean(`soon${servers}`).toFixed(2)} then ${run.mean(`limit${servers}`).toFixed(2)} sessions/s with ${servers}`,
          ),
        )
      },
    },
    {
      text: 'The response time stays close to the SLA in every stage (mean of the intervals, within 20 %)',
      holds: (runs) =>
        SERVERS.every((servers) => {
          const p95Ms = runs.one({ policy: 'soc' }).mean(`p95Ms${servers}`)
          return Math.abs(p95Ms - SLA_MS) <= 0.2 * SLA_MS
        }),
      found: (runs) =>
        list(
          SERVERS.map((servers) => seconds(runs.one({ policy: 'soc' }).mean(`p95Ms${servers}`))),
        ),
    },
  ],
  plots: [
    { title: 'Rate limit', x: 'time, s', y: 'sessions/s', show: { curve: 'limit' } },
    { title: 'Active sessions', x: 'time, s', y: '', show: { curve: 'active' } },
    {
      title: '95th percentile, mean of intervals',
      x: 'time, s',
      y: 'ms',
      show: { curve: 'p95Ms' },
      mark: SLA_MS,
    },
  ],
})
