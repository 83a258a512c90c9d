import {
  CLASSES,
  type Policer,
  runSite,
  type Site,
  type SiteLog,
  STRETCH_S,
  type Surges,
  TARGET_MS,
} from './cataclysm-site.ts'
import type { Curve, Experiment, Measurement } from './experiment.ts'

/** The workload of Fig. 3 (a) (Urgaonkar and Shenoy 2005), as far as the text describes it. */
const SURGES: Surges = {
  0: [50, 50, 60],
  130: [50, 50, 160],
  195: [50, 120, 160],
  210: [200, 120, 160],
  390: [50, 50, 160],
}
export const END_S = 450
export const OVERLOAD = { surges: SURGES, seconds: END_S } as const

/** The phases between the surges, without the first seconds of each, in which a policy reacts. */
const PHASES = {
  calm: [0, 130],
  bronzeSurge: [132, 195],
  silverSurge: [197, 210],
  goldSurge: [212, 390],
} as const

export function runOverload(
  policer: (site: Site) => Policer,
  { serviceMs, seed }: { serviceMs: number; seed: number },
): Measurement {
  const { log, tests } = runSite({ ...OVERLOAD, serviceMs, policer, seed })
  const values: Record<string, number> = { testsPerRequest: tests / log.requests }
  for (const [phase, [fromS, toS]] of Object.entries(PHASES)) {
    for (const [rank, name] of CLASSES.entries()) {
      values[`${phase} ${name}`] = log.part(rank, fromS, toS)
    }
  }
  const bad = log.slowStretches()
  values.badS = bad.length * STRETCH_S
  // The threshold is stale for up to 15 s after each surge. The backlog lasts at least as long again.
  values.badElsewhereS =
    STRETCH_S * bad.filter((fromS) => !isIn(fromS, 130, 175) && !isIn(fromS, 195, 300)).length
  values.worstMs = Math.max(...log.stretches().map((fromS) => log.p95Ms(fromS, fromS + STRETCH_S)))
  return { values, curves: curvesOf(log) }
}

const isIn = (second: number, fromS: number, toS: number): boolean =>
  second >= fromS && second < toS

function curvesOf(log: SiteLog): Readonly<Record<string, Curve>> {
  const curve = (of: (fromS: number, toS: number) => number): Curve =>
    log.stretches().map((fromS) => [fromS + STRETCH_S / 2, of(fromS, fromS + STRETCH_S)] as const)
  return {
    ...Object.fromEntries(
      CLASSES.map((name, rank) => [name, curve((fromS, toS) => log.rate(rank, fromS, toS))]),
    ),
    p95Ms: curve((fromS, toS) => log.p95Ms(fromS, toS)),
  }
}

/** What Fig. 3 and Fig. 5 show. */
export const OVERLOAD_PLOTS: Experiment['plots'] = [
  ...CLASSES.map((name) => ({
    title: `${name[0]!.toUpperCase()}${name.slice(1)} requests admitted`,
    x: 'time, s',
    y: 'requests/s',
    show: { curve: name },
  })),
  {
    title: '95th percentile of admitted requests',
    x: 'time, s',
    y: 'ms',
    show: { curve: 'p95Ms' },
    mark: TARGET_MS,
  },
]
