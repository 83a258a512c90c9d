import {
  CLASSES,
  type Policer,
  runSite,
  type Site,
  type SiteLog,
  type Surges,
  TARGET_MS,
} from './cataclysm-site.ts'
import type { Curve, Found } from './experiment.ts'

/** The workload of cataclysm.md Fig. 3 (a), as far as the text tells it. */
export const SURGES: Surges = {
  0: [50, 50, 60],
  130: [50, 50, 160],
  195: [50, 120, 160],
  210: [200, 120, 160],
  390: [50, 50, 160],
}
export const END_S = 450
const STRETCH_S = 5

/** The phases between the surges, without the seconds in which a policy finds out. */
const PHASES = {
  calm: [0, 130],
  bronzeSurge: [132, 195],
  silverSurge: [197, 210],
  goldSurge: [212, 390],
} as const

export function runOverload(
  policer: (site: Site) => Policer,
  { serviceMs, seed }: { serviceMs: number; seed: number },
): Found {
  const { log, tests } = runSite({ surges: SURGES, seconds: END_S, serviceMs, policer, seed })
  const values: Record<string, number> = { testsPerRequest: tests / log.asking }
  for (const [phase, [fromS, toS]] of Object.entries(PHASES)) {
    for (const [rank, name] of CLASSES.entries()) {
      values[`${phase} ${name}`] = log.part(rank, fromS, toS)
    }
  }
  const bad = stretches().filter((fromS) => log.p95Ms(fromS, fromS + STRETCH_S) > TARGET_MS)
  values.badS = bad.length * STRETCH_S
  // The threshold is stale for up to 15 s after each surge, and the backlog takes as long again and more.
  values.badElsewhereS =
    STRETCH_S * bad.filter((fromS) => !isIn(fromS, 130, 175) && !isIn(fromS, 195, 300)).length
  values.worstMs = Math.max(...stretches().map((fromS) => log.p95Ms(fromS, fromS + STRETCH_S)))
  return { values, curves: curvesOf(log) }
}

const isIn = (second: number, fromS: number, toS: number): boolean =>
  second >= fromS && second < toS

const stretches = (): readonly number[] =>
  Array.from({ length: END_S / STRETCH_S }, (_, i) => STRETCH_S * i)

function curvesOf(log: SiteLog): Readonly<Record<string, Curve>> {
  const curve = (of: (fromS: number, toS: number) => number): Curve =>
    stretches().map((fromS) => [fromS + STRETCH_S / 2, of(fromS, fromS + STRETCH_S)] as const)
  return {
    ...Object.fromEntries(
      CLASSES.map((name, rank) => [name, curve((fromS, toS) => log.rate(rank, fromS, toS))]),
    ),
    p95Ms: curve((fromS, toS) => log.p95Ms(fromS, toS)),
  }
}
