import { runCrowd } from '../crowd/run.ts'
import { countInto } from './count-into.ts'
import { crowd, surgeStartMs } from './crowd.ts'
import { PageCounts } from './page-counts.ts'
import type { Progress } from './progress.ts'
import { type RunName, type RunReport, reportOf } from './report.ts'

export interface RunOptions {
  readonly name: RunName
  readonly target: string
  readonly capacityPerSecond: number
  readonly surge: number
  readonly seconds: number
  readonly slaMs: number
  readonly thinkMs: number
  readonly patienceMs: number
  readonly seed: number
  readonly retry: boolean
  readonly paths?: readonly string[] | null
  /** Requests beyond this many open connections are dropped and counted. */
  readonly mostSockets: number
}

const PROGRESS_MS = 250
const MOST_RETRIES = 3

/** One flash crowd. */
export async function runFlood(
  options: RunOptions,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<RunReport> {
  const { name, target, seconds, slaMs, patienceMs, mostSockets } = options
  const failures: Record<string, number> = {}
  let counts = new PageCounts(slaMs, () => 0)
  let progress: NodeJS.Timeout | undefined
  const facts = await runCrowd(
    {
      target,
      sessions: crowd(options),
      seconds,
      patienceMs,
      retry: { kind: options.retry ? 'told' : 'never', most: MOST_RETRIES },
      mostSockets,
      userAgent: 'tidegate-flood',
    },
    (nowMs) => {
      counts = new PageCounts(slaMs, nowMs)
      progress = setInterval(() => {
        const totals = { calm: counts.totals('calm'), surge: counts.totals('surge') }
        onProgress({ name, elapsedMs: nowMs(), seconds, totals })
      }, PROGRESS_MS)
      return countInto(counts, failures, surgeStartMs(seconds))
    },
    signal,
  )
  clearInterval(progress)
  return reportOf({ ...options, ...facts, failures }, counts)
}
