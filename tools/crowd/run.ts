import { Pool } from 'undici'
import {
  bucketOf,
  HISTOGRAM_BUCKETS,
  type Histogram,
  toHistogram,
} from '../../src/lib/histogram.ts'
import { keepSchedule } from './schedule.ts'
import type { Session } from './session.ts'
import { type CrowdListener, type CrowdState, type RetryRule, Visitor } from './visitor.ts'

export interface CrowdRun {
  readonly target: string
  /** In the order of their arrivals. */
  readonly sessions: Iterator<Session>
  readonly seconds: number
  readonly patienceMs: number
  readonly retry: RetryRule
  /** Requests beyond this many open connections are dropped and counted. */
  readonly mostSockets: number
  readonly userAgent: string
}

/** How well the generator kept to its schedule. */
export interface CrowdFacts {
  readonly elapsedMs: number
  readonly cpuMs: number
  readonly lags: Histogram
}

/**
 * One crowd, open loop: arrivals are drawn in advance and never wait for answers. It ends when the
 * time is up and the last visitor is served or gone, or at once with the signal.
 */
export async function runCrowd(
  options: CrowdRun,
  listen: (nowMs: () => number) => CrowdListener,
  signal: AbortSignal,
): Promise<CrowdFacts> {
  const { mostSockets, patienceMs, retry, userAgent } = options
  const lags = new Uint32Array(HISTOGRAM_BUCKETS)
  const pool = new Pool(options.target, {
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
  const listener = listen(nowMs)
  const crowd: CrowdState = {
    listener,
    patienceMs,
    retry,
    userAgent,
    nowMs,
    isOver: () => over,
    takeSocket: () => sockets < mostSockets && ++sockets > 0,
    freeSocket: () => {
      if (--sockets === 0 && over) onIdle()
    },
    dispatch: (request, handler) => void pool.dispatch(request, handler),
  }
  const welcome = (session: Session, lagMs: number) => {
    lags[bucketOf(lagMs)]! += 1
    listener.arrive(session)
    new Visitor(crowd, session).ask()
  }

  await keepSchedule(options.sessions, options.seconds * 1000, nowMs, welcome, signal)
  over = true
  const elapsedMs = nowMs()
  const cpu = process.cpuUsage(cpuAtStart)
  if (sockets > 0 && !signal.aborted) {
    await new Promise<void>((resolve) => {
      onIdle = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
  }
  await pool.destroy()
  return { elapsedMs, cpuMs: (cpu.user + cpu.system) / 1000, lags: toHistogram(lags) }
}
