import { LevelWindow } from '../admission/level-window.ts'
import type { LimitCounts } from './limit-counts.ts'

/** A sender's requests in flight are known for this long. It reports once a second while it has any. */
const KNOWN_FOR_MS = 3000
/**
 * A slot that was lent is taken back after so many times the stay of a request, if nothing is heard of it: its isolate
 * reports the end at once, but messages get lost.
 */
const LOST_AFTER_STAYS = 4
const LOST_AFTER_MS = 200
/** Time constants: of what requests need, and of the level. */
const STAY_MEMORY_MS = 3000
const LEVEL_MEMORY_MS = 2000
/** Until any request has been answered. */
const FIRST_STAY_MS = 100
/** The cap is needed when the level is above this part of it, until it is below the other. */
const TIGHT_FROM = 0.7
const TIGHT_UNTIL = 0.4
const CHANCE_SIGMA = 2
/**
 * A slot is taken for longer than its request is in flight, because messages take time and get lost. So there are more
 * slots than the cap says: so many times as many at the most. The newest slot counts with this weight.
 */
const MOST_EXTRA = 2
const EXTRA_WEIGHT = 0.02

/**
 * Slots are lent one by one up to so many requests per second, and not from so many on: what each of them asks and
 * reports is a message.
 */
const ASKED_BELOW = 100
const ASKED_UNTIL = 150
/**
 * So many draws ask that slots are seldom free: one that finds a slot at once, and one that waits in vain, change the
 * number by these parts.
 */
const MORE_ASKS = 0.1
const FEWER_ASKS = 0.02
const LEAST_ASKS = 20
const MOST_ASKS = 2 * ASKED_UNTIL

interface Held {
  readonly count: number
  readonly sinceMs: number
  readonly untilMs: number
}

/**
 * The requests that the isolates of one data centre have in flight, and its part of the cap on them. Slots are lent one
 * by one: a slot is taken from the moment at which it is lent until its isolate has reported the end of the request.
 */
export class SlotBudget {
  /** By sender, what it reported and what it was lent since then. The newest comes last. */
  readonly #reported = new Map<string, Held>()
  readonly #lent = new Map<string, Held>()
  readonly #window = new LevelWindow(0)
  #cap: number | null = null
  #taken = 0
  #atMs = 0
  /** Slots × milliseconds that were taken so far. */
  #takenMs = 0
  #meanTaken = 0
  /** Answers of late, with their time. */
  #answers = 0
  #answersMs = 0
  /** How much longer a slot is taken than its request is in flight. */
  #extraMs = 0
  #isTight = false
  #isAsked = false
  /** Draws per second that are to ask for a slot. */
  #asks = ASKED_BELOW

  /** `cap`: the data centre's part; null: there is no cap. */
  follow(cap: number | null, nowMs: number): void {
    this.#pass(nowMs)
    this.#cap = cap
    if (cap === null) return
    this.#window.set(cap * this.#extra, this.stayMs, this.#takenMs, nowMs)
  }

  settle(sender: string, { inFlight, answers, answersMs }: LimitCounts, nowMs: number): void {
    this.#pass(nowMs)
    const lent = this.#lent.get(sender)
    if (lent?.count === 1 && inFlight === 0 && answers === 1)
      this.#countExtra(nowMs - lent.sinceMs - answersMs)
    this.#take(this.#lent, sender, null)
    const reported = { count: inFlight, sinceMs: nowMs, untilMs: nowMs + KNOWN_FOR_MS }
    this.#take(this.#reported, sender, inFlight > 0 ? reported : null)
    this.#answers += answers
    this.#answersMs += answersMs
  }

  /** Is the cap needed now? Where draws ask for slots, it is as long as not all of them are to ask. */
  isTight(allDraws: number, nowMs: number): boolean {
    if (this.#cap === null) return false
    this.#pass(nowMs)
    const sudden = this.#cap + CHANCE_SIGMA * Math.sqrt(this.#cap) + 1
    const level = Math.max(this.#meanTaken, this.#meanInFlight)
    if (level > TIGHT_FROM * this.#cap || this.#taken > sudden) this.#isTight = true
    else if (level < TIGHT_UNTIL * this.#cap) this.#isTight = this.#isAsked && this.#asks < allDraws
    return this.#isTight
  }

  /** By Little's law. An isolate that reports when its next visitor comes has nothing in flight at that moment. */
  get #meanInFlight(): number {
    return this.#answersMs / STAY_MEMORY_MS
  }

  /** Is the cap so small that slots are lent one by one? */
  get isAsked(): boolean {
    const perSecond = this.#cap === null ? 0 : (this.#cap * 1000) / this.stayMs
    this.#isAsked = perSecond < (this.#isAsked ? ASKED_UNTIL : ASKED_BELOW)
    return this.#isAsked
  }

  /** Draws per second that are to ask for a slot. */
  get asks(): number {
    return this.#asks
  }

  /** A draw has asked and found a slot at once, or has waited in vain. */
  asked(isAtOnce: boolean): void {
    const asks = this.#asks * (isAtOnce ? 1 + MORE_ASKS : 1 - FEWER_ASKS)
    this.#asks = Math.min(MOST_ASKS, Math.max(LEAST_ASKS, asks))
  }

  hasRoom(nowMs: number): boolean {
    if (this.#cap === null) return true
    this.#pass(nowMs)
    this.#window.set(this.#cap * this.#extra, this.stayMs, this.#takenMs, nowMs)
    return this.#window.hasRoom(this.#taken, this.#takenMs, nowMs, 1)
  }

  lend(sender: string, nowMs: number): void {
    this.#pass(nowMs)
    const count = (this.#lent.get(sender)?.count ?? 0) + 1
    const forMs = Math.min(KNOWN_FOR_MS, LOST_AFTER_MS + LOST_AFTER_STAYS * this.stayMs)
    this.#take(this.#lent, sender, { count, sinceMs: nowMs, untilMs: nowMs + forMs })
  }

  /** How long a request is in flight. */
  get stayMs(): number {
    return this.#answers > 0.5 ? Math.max(1, this.#answersMs / this.#answers) : FIRST_STAY_MS
  }

  /** Slots for each request in flight. */
  get #extra(): number {
    return Math.min(MOST_EXTRA, 1 + this.#extraMs / this.stayMs)
  }

  #countExtra(ms: number): void {
    this.#extraMs += EXTRA_WEIGHT * (Math.max(0, ms) - this.#extraMs)
  }

  #take(from: Map<string, Held>, sender: string, held: Held | null): void {
    this.#taken -= from.get(sender)?.count ?? 0
    from.delete(sender)
    if (held === null) return
    this.#taken += held.count
    from.set(sender, held)
  }

  #pass(nowMs: number): void {
    const elapsedMs = nowMs - this.#atMs
    this.#atMs = nowMs
    if (!(elapsedMs > 0)) return
    this.#takenMs += this.#taken * elapsedMs
    const kept = Math.exp(-elapsedMs / STAY_MEMORY_MS)
    this.#answers *= kept
    this.#answersMs *= kept
    const weight = Math.exp(-elapsedMs / LEVEL_MEMORY_MS)
    this.#meanTaken = this.#taken + weight * (this.#meanTaken - this.#taken)
    for (const held of [this.#lent, this.#reported])
      for (const [sender, { untilMs, sinceMs }] of held) {
        if (nowMs < untilMs) break
        if (held === this.#lent) this.#countExtra(untilMs - sinceMs - this.stayMs)
        this.#take(held, sender, null)
      }
  }
}
