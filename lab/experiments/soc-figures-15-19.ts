import { poisson } from '../clients/arrivals.ts'
import { steps } from '../clients/profiles.ts'
import { admittedPart, between, curveOf, percentileMs } from './from-trace.ts'
import { onPlant } from './on-plant.ts'
import { soc, socLqr, socShop } from './soc-shop.ts'
import { percent, seconds } from './words.ts'

const SLA_MS = 5000
/**
 * SOC controls the percentile to the SLA itself, so half of its intervals are slightly over. Only a
 * clearly higher percentile counts as overload.
 */
const OVERLOAD_MS = 1.3 * SLA_MS
const CALM = 1.2
/** Surges of growing intensity, ten minutes each, with calm periods between them. */
const SURGE_S = 600
const SURGES: readonly (readonly [fromS: number, rate: number])[] = [
  [9020, 4],
  [11_420, 6],
  [13_820, 9], // 40 s before the end of an iteration
]
/** An hour of overload before the surges, in which the curve is learned. */
const LESSON = { 0: CALM, 1800: 3, 7200: CALM }
const [LAST_S] = SURGES.at(-1)!
const END_S = LAST_S + 1800

/** Without the change detector p follows the crowd only at the end of each iteration. */
const NO_DETECTOR = { q: 1e9 }

/** (Bartolini et al. 2009, §7.5): surges, with and without flash-crowd mode. */
export const socFigures15To19 = onPlant<Record<string, never>>({
  name: 'soc-15-19',
  paper: 'soc',
  figure: 'Fig. 15 to 19',
  title: 'Surges of growing intensity, with flash-crowd mode (FCM) and without (Base)',
  vary: {},
  short: {},
  seeds: { full: 5, short: 1 },
  system: () => ({
    plant: socShop({
      arrivals: poisson(
        steps({
          ...LESSON,
          ...Object.fromEntries(
            SURGES.flatMap(([fromS, rate]) => [
              [fromS, rate],
              [fromS + SURGE_S, CALM],
            ]),
          ),
        }),
      ),
    }),
    seconds: END_S,
    measureFromSeconds: LAST_S,
  }),
  policies: { fcm: () => soc(), base: () => soc({}, NO_DETECTOR), 'soc-lqr': () => socLqr() },
  fullOnly: ['soc-lqr'],
  measure(result) {
    const { completed, abandoned, broken } = result.sessions
    const surge = between(result.trace, LAST_S, LAST_S + SURGE_S + 600)
    const p95Ms = curveOf(result.trace, 30, (part) => percentileMs(part, 95))
    const secondsOver = (limitMs: number) =>
      30 *
      curveOf(surge, 30, (part) => percentileMs(part, 95)).filter(([, ms]) => ms > limitMs).length
    const admitted = curveOf(between(result.trace, LAST_S - 60, LAST_S + 240), 5, (part) =>
      admittedPart(part),
    )
    return {
      values: {
        // Until at most half of the visitors are admitted: the crowd is seven times the calm rate.
        noticedS:
          (admitted.find(([atS, part]) => atS > LAST_S && part < 0.5)?.[0] ?? END_S) - LAST_S,
        overSlaS: secondsOver(SLA_MS),
        overloadS: secondsOver(OVERLOAD_MS),
        worstMs: Math.max(...p95Ms.filter(([atS]) => atS > LAST_S).map(([, ms]) => ms)),
        late: result.lateShare,
        left: abandoned / Math.max(1, completed + abandoned + broken),
      },
      curves: {
        p95Ms,
        admitted,
        offered: curveOf(
          result.trace,
          60,
          (part) =>
            part.reduce((sum, { sample }) => sum + sample.offered.sessions, 0) / part.length,
        ),
      },
    }
  },
  claims: [
    {
      text: 'With flash-crowd mode SOC reacts almost at once (within 20 s); Base takes almost 40 s (30 s at least)',
      holds: (runs) =>
        runs.one({ policy: 'fcm' }).mean('noticedS') <= 20 &&
        runs.one({ policy: 'base' }).mean('noticedS') >= 30,
      found: (runs) =>
        `${runs.one({ policy: 'fcm' }).mean('noticedS').toFixed(0)} s and ${runs.one({ policy: 'base' }).mean('noticedS').toFixed(0)} s`,
    },
    {
      text: 'Base violates the SLA for almost 500 s (300 s at least)',
      holds: (runs) => runs.one({ policy: 'base' }).mean('overSlaS') >= 300,
      found: (runs) => `${runs.one({ policy: 'base' }).mean('overSlaS').toFixed(0)} s`,
    },
    {
      text: 'Flash-crowd mode mitigates the spike: the time 30 % over the SLA is shorter',
      holds: (runs) =>
        runs.one({ policy: 'fcm' }).mean('overloadS') <
        runs.one({ policy: 'base' }).mean('overloadS'),
      found: (runs) =>
        `${runs.one({ policy: 'fcm' }).mean('overloadS').toFixed(0)} s with it, ${runs.one({ policy: 'base' }).mean('overloadS').toFixed(0)} s without: visitors that leave after 8 s end it in both cases`,
    },
    {
      text: 'Under Base users abandon the site; flash-crowd mode prevents most of this',
      holds: (runs) =>
        runs.one({ policy: 'fcm' }).mean('left') < runs.one({ policy: 'base' }).mean('left') / 2,
      found: (runs) =>
        `abandoned ${percent(runs.one({ policy: 'base' }).mean('left'))} (Base) and ${percent(runs.one({ policy: 'fcm' }).mean('left'))} (FCM) of the sessions`,
    },
    {
      about: 'soc-lqr',
      text: 'Ours: soc-lqr, which needs no detector, is not over the SLA for longer than flash-crowd mode',
      holds: (runs) =>
        runs.one({ policy: 'soc-lqr' }).mean('overloadS') <=
        runs.one({ policy: 'fcm' }).mean('overloadS'),
      found: (runs) =>
        `${runs.one({ policy: 'soc-lqr' }).mean('overloadS').toFixed(0)} s, worst ${seconds(runs.one({ policy: 'soc-lqr' }).mean('worstMs'))}`,
    },
  ],
  plots: [
    { title: 'Arrivals', x: 'time, s', y: 'sessions/s', show: { curve: 'offered' } },
    {
      title: '95th percentile in intervals of 30 s',
      x: 'time, s',
      y: 'ms',
      show: { curve: 'p95Ms' },
      mark: SLA_MS,
    },
    {
      title: 'Admitted share at the onset of the last surge',
      x: 'time, s',
      y: '',
      show: { curve: 'admitted' },
    },
  ],
})
