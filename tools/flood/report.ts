import { type Histogram, quantileMs } from '../../src/lib/histogram.ts'
import type { PageClass } from '../demo/pages.ts'
import { CALM_LOAD, surgeStartMs } from './crowd.ts'
import type { Figures, PageCounts } from './page-counts.ts'
import type { WaitsReport } from './waits.ts'

/** The result of a run. `--json` prints it unchanged; the table is made from it. */
export interface RunReport {
  readonly name: RunName
  readonly target: string
  /**
   * In-SLA pages per second in the surge, as a share of the origin's capacity; null: no surge yet.
   */
  readonly share: number | null
  readonly capacityPerSecond: number
  readonly slaMs: number
  /** Load offered in the surge, as a multiple of the capacity: sessions × pages of a mean walk. */
  readonly surge: number
  readonly surgeSeconds: number
  /** Figures of the surge. */
  readonly classes: Readonly<Record<PageClass, Figures>>
  readonly totals: Figures
  readonly calm: CalmReport
  /** Pages served within the SLA in each second of the run. */
  readonly inSlaBySecond: readonly number[]
  readonly waits: WaitsReport
  readonly generator: GeneratorReport
  /** Failures by error code or status of the answer. */
  readonly failures: Readonly<Record<string, number>>
  /** False if the run was interrupted. */
  readonly complete: boolean
}

export type RunName = 'direct' | 'gate'

interface CalmReport {
  readonly load: number
  readonly seconds: number
  readonly totals: Figures
}

/** How well the generator kept to its schedule. */
interface GeneratorReport {
  /** CPU time divided by time: 1 is one core. */
  readonly cpu: number
  readonly lagP50Ms: number
  readonly lagP99Ms: number
}

export interface RunFacts {
  readonly name: RunName
  readonly target: string
  readonly capacityPerSecond: number
  readonly slaMs: number
  readonly surge: number
  readonly seconds: number
  readonly elapsedMs: number
  readonly cpuMs: number
  readonly lags: Histogram
  readonly failures: Readonly<Record<string, number>>
}

/** Above this median delay the result says more about the generator than about its target. */
export const LAG_WARNING_MS = 50

export function reportOf(facts: RunFacts, counts: PageCounts): RunReport {
  const { name, target, capacityPerSecond, slaMs, surge, seconds, failures } = facts
  const stepMs = surgeStartMs(seconds)
  const runMs = Math.min(facts.elapsedMs, seconds * 1000)
  const surgeSeconds = Math.max(0, runMs - stepMs) / 1000
  const totals = counts.totals('surge')
  const share = surgeSeconds > 0 ? totals.inSla / surgeSeconds / capacityPerSecond : null
  return {
    name,
    target,
    share,
    capacityPerSecond,
    slaMs,
    surge,
    surgeSeconds,
    classes: {
      browse: counts.figures('surge', 'browse'),
      cart: counts.figures('surge', 'cart'),
      checkout: counts.figures('surge', 'checkout'),
    },
    totals,
    calm: {
      load: CALM_LOAD,
      seconds: Math.min(runMs, stepMs) / 1000,
      totals: counts.totals('calm'),
    },
    inSlaBySecond: counts.inSlaBySecond,
    waits: counts.waits.report,
    generator: {
      cpu: facts.elapsedMs > 0 ? facts.cpuMs / facts.elapsedMs : 0,
      lagP50Ms: quantileMs(facts.lags, 0.5) ?? 0,
      lagP99Ms: quantileMs(facts.lags, 0.99) ?? 0,
    },
    failures,
    complete: facts.elapsedMs >= seconds * 1000,
  }
}
