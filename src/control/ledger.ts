import type { Feedback } from '../feedback.ts'
import {
  levelsOnly,
  mergeRoutes,
  type RoutesFeedback,
  scaleRoutes,
  withoutLevels,
} from '../merge.ts'

/** A sender that is silent for this long is forgotten, and its requests in service with it. */
export const FORGET_AFTER_MS = 30_000

/** A report never stands for more than this many times its own interval. */
const MOST_SCALING = 3

/** Weight of the newest report in a sender's rate of draws. */
const RATE_WEIGHT = 0.5

interface Sender {
  readonly seq: number
  readonly toMs: number
  readonly heardAtMs: number
  /** Draws asked for per second: the sender's part of all of them is its share. */
  readonly rate: number
  /** Its requests in service, and nothing else. */
  readonly levels: RoutesFeedback
}

/** Adds up what several senders report, between two drains. Used by the relay and by the coordinator alike. */
export class Ledger {
  readonly #senders = new Map<string, Sender>()
  #routes: RoutesFeedback = {}
  #fromMs = Number.POSITIVE_INFINITY
  #toMs = 0

  /** False: a repeated report, which was dropped. */
  add(feedback: Feedback, nowMs: number): boolean {
    const known = this.#senders.get(feedback.sender)
    if (known && feedback.seq <= known.seq) return false
    const lost = known && feedback.seq > known.seq + 1
    const covered = Math.max(1, feedback.toMs - feedback.fromMs)
    const factor = lost ? clamp((feedback.toMs - known.toMs) / covered, 1, MOST_SCALING) : 1
    this.#routes = mergeRoutes(this.#routes, withoutLevels(scaleRoutes(feedback.routes, factor)))
    this.#fromMs = Math.min(this.#fromMs, feedback.fromMs)
    this.#toMs = Math.max(this.#toMs, feedback.toMs)
    this.#senders.set(feedback.sender, {
      seq: feedback.seq,
      toMs: feedback.toMs,
      heardAtMs: nowMs,
      rate: smoothedRate(known?.rate, drawsOf(feedback), covered),
      levels: levelsOnly(feedback.routes),
    })
    return true
  }

  /** The part of all draws that this sender sees: its share of the room. */
  shareOf(sender: string): number {
    const own = this.#senders.get(sender)
    if (!own) return 0
    let total = 0
    for (const { rate } of this.#senders.values()) total += rate
    return total > 0 ? own.rate / total : 1 / this.#senders.size
  }

  get senders(): number {
    return this.#senders.size
  }

  /** Everything since the last drain, with the levels of all senders that are alive. */
  drain(nowMs: number): { routes: RoutesFeedback; fromMs: number; toMs: number } {
    for (const [id, { heardAtMs }] of this.#senders)
      if (nowMs - heardAtMs > FORGET_AFTER_MS) this.#senders.delete(id)
    let routes = this.#routes
    for (const { levels } of this.#senders.values()) routes = mergeRoutes(routes, levels)
    const drained = { routes, fromMs: Math.min(this.#fromMs, this.#toMs), toMs: this.#toMs }
    this.#routes = {}
    this.#fromMs = Number.POSITIVE_INFINITY
    this.#toMs = 0
    return drained
  }
}

function drawsOf(feedback: Feedback): number {
  let draws = 0
  for (const { classes } of Object.values(feedback.routes))
    for (const { offered } of Object.values(classes)) draws += offered
  return draws
}

function smoothedRate(previous: number | undefined, draws: number, coveredMs: number): number {
  const rate = (draws * 1000) / Math.max(coveredMs, 1000)
  return previous === undefined ? rate : RATE_WEIGHT * rate + (1 - RATE_WEIGHT) * previous
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}
