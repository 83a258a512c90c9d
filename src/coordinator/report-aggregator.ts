import type { Feedback } from '../protocol/feedback.ts'
import {
  levelsOnly,
  mergeRoutes,
  mergeServers,
  type RoutesFeedback,
  type ServersFeedback,
  withoutLevels,
} from '../protocol/merge-reports.ts'

/** A sender without a report for this long is forgotten, together with its requests in flight. */
export const FORGET_AFTER_MS = 30_000

/**
 * Senders report once a second, and only after a request. A sender is expected if it reported within this time. A
 * report covers at most this time: after a pause it covers the whole pause, in most of which the sender was not
 * expected. Both must be the same number, or the rates of quiet senders come out wrong.
 */
const EXPECTED_WITHIN_MS = 1500
const REPORT_MS = 1000

/** Weight of the newest report in a sender's rate of draws. */
const RATE_WEIGHT = 0.5

interface Sender {
  readonly seq: number
  readonly reportedAtMs: number
  /** Draws per second. A sender's share is its part of all draws. */
  readonly rate: number
  /** Its newest levels (requests in flight), and nothing else. */
  readonly levels: RoutesFeedback
}

interface AggregatedReports {
  readonly routes: RoutesFeedback
  readonly servers: ServersFeedback
  /**
   * The time that the counts stand for. A drain may find two reports of a sender or none, so this is the time that
   * the reports cover, divided by the number of senders that are expected to report.
   */
  readonly lengthMs: number
}

/** Adds up the reports of several senders between two drains. The relay and the coordinator both use it. */
export class ReportAggregator {
  readonly #senders = new Map<string, Sender>()
  #routes: RoutesFeedback = {}
  #servers: ServersFeedback = {}
  #coveredMs = 0

  /** False: the report is a repeated one and was dropped. */
  add(feedback: Feedback, nowMs: number): boolean {
    if (feedback.again) this.add(feedback.again, nowMs)
    const known = this.#senders.get(feedback.sender)
    if (known && feedback.seq <= known.seq) return false
    const lengthMs = feedback.toMs - feedback.fromMs
    this.#routes = mergeRoutes(this.#routes, withoutLevels(feedback.routes))
    if (feedback.servers) this.#servers = mergeServers(this.#servers, feedback.servers)
    this.#coveredMs += Math.min(lengthMs, EXPECTED_WITHIN_MS)
    this.#senders.set(feedback.sender, {
      seq: feedback.seq,
      reportedAtMs: nowMs,
      rate: smoothedRate(known?.rate, drawsOf(feedback), lengthMs),
      levels: levelsOnly(feedback.routes),
    })
    return true
  }

  /** The part of all draws that this sender makes. */
  shareOf(sender: string, nowMs: number): number {
    const own = this.#senders.get(sender)
    if (!own) return 0
    let total = 0
    for (const other of this.#senders.values()) if (isAlive(other, nowMs)) total += other.rate
    return total > 0 ? Math.min(1, own.rate / total) : 1 / this.#senders.size
  }

  get senders(): number {
    return this.#senders.size
  }

  /** The `lengthMs` that `drain` would return. */
  lengthMs(nowMs: number): number {
    let expected = 0
    for (const { reportedAtMs } of this.#senders.values())
      if (nowMs - reportedAtMs < EXPECTED_WITHIN_MS) expected++
    return this.#coveredMs / Math.max(1, expected)
  }

  /** All counts since the last drain, and the newest levels of all senders. */
  drain(nowMs: number): AggregatedReports {
    const lengthMs = this.lengthMs(nowMs)
    let routes = this.#routes
    for (const [id, { reportedAtMs, levels }] of this.#senders) {
      if (nowMs - reportedAtMs > FORGET_AFTER_MS) this.#senders.delete(id)
      else routes = mergeRoutes(routes, levels)
    }
    const servers = this.#servers
    this.#routes = {}
    this.#servers = {}
    this.#coveredMs = 0
    return { routes, servers, lengthMs }
  }
}

/**
 * A sender reports a second after its next request. One with many requests that does not report has stopped, and
 * the other senders get its share.
 */
function isAlive({ rate, reportedAtMs }: Sender, nowMs: number): boolean {
  return nowMs - reportedAtMs < EXPECTED_WITHIN_MS + 3000 / rate
}

function drawsOf(feedback: Feedback): number {
  let draws = 0
  for (const { classes } of Object.values(feedback.routes))
    for (const { offered } of Object.values(classes)) draws += offered
  return draws
}

function smoothedRate(previous: number | undefined, draws: number, lengthMs: number): number {
  const rate = (draws * 1000) / Math.max(lengthMs, REPORT_MS)
  return previous === undefined ? rate : RATE_WEIGHT * rate + (1 - RATE_WEIGHT) * previous
}
