import { Pool } from 'undici'
import { bucketOf, HISTOGRAM_BUCKETS, toHistogram } from '../../src/lib/histogram.ts'
import { type Arrival, crowd, surgeStartMs } from './crowd.ts'
import { PageCounts } from './page-counts.ts'
import type { Progress } from './progress.ts'
import { type RunName, type RunReport, reportOf } from './report.ts'
import { type FloodState, Visitor } from './visitor.ts'

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
  /** Requests beyond this many open connections are dropped and counted. */
  readonly mostSockets: number
}

const PROGRESS_MS = 250

/**
 * One flash crowd, open loop: arrivals are drawn in advance and never wait for answers. It ends
 * when the time is up and the last visitor is served or gone, or at once with the signal.
 */
export async function runFlood(
  options: RunOptions,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<RunReport> {
  const { name, target, seconds, slaMs, mostSockets } = options
  const endMs = seconds * 1000
  const stepMs = surgeStartMs(seconds)
  const lags = new Uint32Array(HISTOGRAM_BUCKETS)
  const failures: Record<string, number> = {}
  const pool = new Pool(target, {
    connections: mostSockets,
    pipelining: 1,
    headersTimeout: 0, // The visitors' patience limits each request.
    bodyTimeout: 0,
  })
  const startMs = performance.now()
  const cpuAtStart = process.cpuUsage()
  let over = false
  let sockets = 0
  let onIdle = () => {}

  const nowMs = () => performance.now() - startMs
  const counts = new PageCounts(slaMs, nowMs)
  const flood: FloodState = {
    counts,
    patienceMs: options.patienceMs,
    retry: options.retry,
    nowMs,
    phase: () => (over ? null : nowMs() < stepMs ? 'calm' : 'surge'),
    takeSocket: () => sockets < mostSockets && ++sockets > 0,
    freeSocket: () => {
      if (--sockets === 0 && over) onIdle()
    },
    dispatch: (request, handler) => void pool.dispatch(request, handler),
    noteFailure: (code) => {
      failures[code] = (failures[code] ?? 0) + 1
    },
  }
  const welcome = (arrival: Arrival, lagMs: number) => {
    lags[bucketOf(lagMs)]! += 1
    counts.offer(arrival.atMs < stepMs ? 'calm' : 'surge', arrival.walk)
    new Visitor(flood, arrival).ask()
  }
  const progress = setInterval(() => {
    const totals = { calm: counts.totals('calm'), surge: counts.totals('surge') }
    onProgress({ name, elapsedMs: nowMs(), seconds, totals })
  }, PROGRESS_MS)

  await keepSchedule(crowd(options), endMs, nowMs, welcome, signal)
  over = true
  const elapsedMs = nowMs()
  const cpu = process.cpuUsage(cpuAtStart)
  if (sockets > 0 && !signal.aborted) {
    await new Promise<void>((resolve) => {
      onIdle = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  clearInterval(progress)
  await pool.destroy()
  const cpuMs = (cpu.user + cpu.system) / 1000
  return reportOf({ ...options, elapsedMs, cpuMs, lags: toHistogram(lags), failures }, counts)
}

/** Starts each arrival at its time; resolves when the time is up or the signal is aborted. */
function keepSchedule(
  arrivals: Iterator<Arrival>,
  endMs: number,
  nowMs: () => number,
  welcome: (arrival: Arrival, lagMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let next = arrivals.next()
    let timer: NodeJS.Timeout | undefined
    const stop = () => {
      clearTimeout(timer)
      resolve()
    }
    const keep = () => {
      const now = nowMs()
      while (!next.done && next.value.atMs <= now) {
        welcome(next.value, now - next.value.atMs)
        next = arrivals.next()
      }
      const nextMs = next.done ? endMs : next.value.atMs
      if (next.done && now >= endMs) stop()
      else timer = setTimeout(keep, Math.ceil(nextMs - now))
    }
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    keep()
  })
}
