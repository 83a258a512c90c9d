import type { Curve } from '../experiments/experiment.ts'
import type { SiteTick } from './hosted-site.ts'

/** What the experiments read from a site's log. */

export function p95Of(ticks: readonly SiteTick[]): number {
  const sorted = ticks.flatMap(({ responses }) => responses).toSorted((a, b) => a - b)
  return sorted[Math.ceil(0.95 * sorted.length) - 1] ?? 0
}

export const between = (log: readonly SiteTick[], fromS: number, toS: number) =>
  log.filter(({ nowMs }) => nowMs > fromS * 1000 && nowMs <= toS * 1000)

const STRETCH_S = 10

/** Stretches of ten seconds. */
function stretches(log: readonly SiteTick[]): readonly (readonly SiteTick[])[] {
  return Array.from({ length: Math.floor(log.length / STRETCH_S) }, (_, i) =>
    log.slice(i * STRETCH_S, (i + 1) * STRETCH_S),
  )
}

/** The part of the stretches whose 95th percentile is over the target. */
export function violatedOf(log: readonly SiteTick[], targetMs: number): number {
  const all = stretches(log)
  return all.filter((part) => p95Of(part) > targetMs).length / Math.max(1, all.length)
}

export const rateOf = (
  ticks: readonly SiteTick[],
  count: 'offered' | 'admitted' | 'served',
): number => ticks.reduce((sum, tick) => sum + tick[count], 0) / Math.max(1, ticks.length)

export function curvesOf(log: readonly SiteTick[]): Readonly<Record<string, Curve>> {
  const curve = (y: (part: readonly SiteTick[]) => number): Curve =>
    stretches(log).map((part, i) => [i * STRETCH_S, y(part)] as const)
  return {
    p95Ms: curve(p95Of),
    offered: curve((part) => rateOf(part, 'offered')),
    served: curve((part) => rateOf(part, 'served')),
    servers: curve((part) => Object.values(part.at(-1)!.servers).reduce((sum, n) => sum + n, 0)),
  }
}
