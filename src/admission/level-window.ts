/** If the clock goes back further than this, it was reset. */
const CLOCK_SET_BACK_MS = 5000
/** Room that was not used is kept for this long, or for as long as a request stays. */
const KEPT_MS = 500

/** So many times as much can be owed: a level that was far too high before the cap was held is not paid back for long. */
const MOST_DEBT = 2

/**
 * Holds a number of requests in flight at a mean that may be a fraction, as for one of many isolates: 0.2 is one
 * request a fifth of the time. Time in flight is paid from a credit that grows with the mean. A request that stays
 * longer is paid for longer, so the level is held whatever the response times are.
 */
export class LevelWindow {
  #mean = 0
  /** Requests × milliseconds that were not used; below 0: used in advance. */
  #credit = 0
  #stayMs = 0
  #busyMs = 0
  #untilMs: number

  constructor(nowMs: number) {
    this.#untilMs = nowMs
  }

  get mean(): number {
    return this.#mean
  }

  /** Credit is counted anew. `phase`, in [0, 1), is the part of a request's stay that is owed: not all may begin at once. */
  restart(phase: number, stayMs: number, busyMs: number, nowMs: number): void {
    this.#credit = -phase * stayMs
    this.#busyMs = busyMs
    this.#untilMs = nowMs
  }

  /** `stayMs` is how long a request is in flight. `busyMs` is the time that requests have been in flight so far, in all. */
  set(mean: number, stayMs: number, busyMs: number, nowMs: number): void {
    this.#pay(busyMs, nowMs)
    this.#mean = mean > 0 ? mean : 0
    this.#stayMs = stayMs
  }

  /** May one more begin at this level? `over`: how far above the mean the level may be while there is credit. */
  hasRoom(level: number, busyMs: number, nowMs: number, over = 0): boolean {
    this.#pay(busyMs, nowMs)
    return level + 1 <= this.#mean || (level < this.#mean + over && this.#credit >= 0)
  }

  #pay(busyMs: number, nowMs: number): void {
    const elapsedMs = nowMs - this.#untilMs
    // An older request has read the clock, or it was set back.
    if (elapsedMs < -CLOCK_SET_BACK_MS) this.restart(0, 0, busyMs, nowMs)
    if (!(elapsedMs > 0)) return
    this.#untilMs = nowMs
    const most = Math.max(this.#mean * KEPT_MS, this.#stayMs)
    const credit = this.#credit + this.#mean * elapsedMs - (busyMs - this.#busyMs)
    this.#credit = Math.min(most, Math.max(-MOST_DEBT * most, credit))
    this.#busyMs = busyMs
  }
}
