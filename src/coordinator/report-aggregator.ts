import type { Feedback } from '../protocol/feedback.ts'
import {
  levelsOnly,
  mergeRoutes,
  mergeServers,
  type RoutesFeedback,
  type ServersFeedback,
  withoutLevels,
} from '../protocol/merge.ts'

/** A sender that is silent for this long is forgotten, and its requests in service with it. */
export const FORGET_AFTER_MS = 30_000

/**
 * Senders report once a second, and only behind a request. One that was heard within this time is expected
 * to be heard now, and a report covers no more than this: an isolate that slept covers all its sleep, but
 * was not expected for most of it. Were the two not the same, the rate of quiet senders would come out wrong.
 */
const EXPECTED_WITHIN_MS = 1500
const REPORT_MS = 1000

/** Weight of the newest report in a sender's rate of draws. */
const RATE_WEIGHT = 0.5

interface Sender {
  readonly seq: number
  readonly heardAtMs: number
  /** Draws asked for per second: the sender's part of all of them is its share. */
  readonly rate: number
  /** Its requests in service, and nothing else. */
  readonly levels: RoutesFeedback
}

export interface AggregatedReports {
  readonly routes: RoutesFeedback
  readonly servers: ServersFeedback
  /**
   * For how long the counts stand. Reports come when they come: a drain may find two of a sender, or
   * none. So time is what the reports cover, for each sender that was expected to report.
   */
  readonly lengthMs: number
}

/** Adds up what several senders report, between two drains. Used by the relay and by the coordinator alike. */
export class ReportAggregator {
  readonly #senders = new Map<string, Sender>()
  #routes: RoutesFeedback = {}
  #servers: ServersFeedback = {}
  #coveredMs = 0

  /** False: a repeated report, which was dropped. */
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
      heardAtMs: nowMs,
      rate: smoothedRate(known?.rate, drawsOf(feedback), lengthMs),
      levels: levelsOnly(feedback.routes),
    })
    return true
  }

  /** The part of all draws that this sender sees: its share of the room. */
  shareOf(sender: string, nowMs: number): number {
    const own = this.#senders.get(sender)
    if (!own) return 0
    let total = 0
    for (const other of this.#senders.values()) if (seemsAlive(other, nowMs)) total += other.rate
    return total > 0 ? Math.min(1, own.rate / total) : 1 / this.#senders.size
  }

  get senders(): number {
    return this.#senders.size
  }

  /** How long the time is that `drain` would give. */
  lengthMs(nowMs: number): number {
    let expected = 0
    for (const { heardAtMs } of this.#senders.values())
      if (nowMs - heardAtMs < EXPECTED_WITHIN_MS) expected++
    return this.#coveredMs / Math.max(1, expected)
  }

  /** Everything since the last drain, with the levels of all senders that are alive. */
  drain(nowMs: number): AggregatedReports {
    const lengthMs = this.lengthMs(nowMs)
    let routes = this.#routes
    for (const [id, { heardAtMs, levels }] of this.#senders) {
      if (nowMs - heardAtMs > FORGET_AFTER_MS) this.#senders.delete(id)
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
 * A sender is heard a second after its next request. One that has had many of them and is silent has died,
 * and its share of the room is the others'.
 */
function seemsAlive({ rate, heardAtMs }: Sender, nowMs: number): boolean {
  return nowMs - heardAtMs < EXPECTED_WITHIN_MS + 3000 / rate
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
