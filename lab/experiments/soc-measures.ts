import type { RunResult, TraceLine } from '../gate/run-plant.ts'
import { admittedPart, between, curveOf, meanOf, percentileMs } from './from-trace.ts'
import type { System } from './on-plant.ts'

/** The paper takes the percentile over an interval, T_AC of SOC. */
const INTERVAL_S = 60

/**
 * The measures of Bartolini et al. 2009, §7. The paper controls the mean of the intervals'
 * percentiles to the SLA and does not say over which time an SLA applies. The percentile of all
 * requests together is higher, because bad intervals have many late requests.
 */
export function socValues(result: RunResult, { measureFromSeconds = 0 }: System) {
  const measured = between(result.trace, measureFromSeconds)
  return {
    intervalP95Ms: mean(intervalP95s(measured)),
    p95Ms: percentileMs(measured, 95),
    admitted: admittedPart(measured),
    missed: result.windowsMissed / Math.max(1, result.windows),
    inSlaPerSecond: result.inSlaValue / result.seconds,
    active: meanOf(measured, (line) => line.activeSessions),
  }
}

/** One value for each interval with answers. */
export function intervalP95s(trace: readonly TraceLine[]): readonly number[] {
  return curveOf(trace, INTERVAL_S, (part) => percentileMs(part, 95))
    .map(([, p95Ms]) => p95Ms)
    .filter((p95Ms) => p95Ms > 0)
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Standard deviation divided by the mean. */
export function variation(values: readonly number[]): number {
  const centre = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2))) / centre
}

/** Seconds per point of a curve. */
export const CURVE_S = INTERVAL_S
