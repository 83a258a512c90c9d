import type { LimitPart } from '../protocol/coordinator-port.ts'
import { LevelWindow } from './level-window.ts'

/** Requests of this isolate that are in flight, and the time that requests have been in flight so far, in all. */
export interface InFlightTime {
  level(): number
  busyMs(nowMs: number): number
}

/** This isolate's part of the cap on requests in flight. */
export class CapShare {
  readonly #inFlight: InFlightTime
  readonly #coin: () => number
  readonly #window: LevelWindow
  #isOpen = true
  /** How far above its mean the level may be for a while. */
  #over = 0

  constructor(inFlight: InFlightTime, coin: () => number, nowMs: number) {
    this.#inFlight = inFlight
    this.#coin = coin
    this.#window = new LevelWindow(nowMs)
  }

  /** `slots` is what the relay says. Without a relay, an isolate holds its share of the cap, and one request at the least. */
  follow(cap: number | null, { share, slots }: Pick<LimitPart, 'share' | 'slots'>, nowMs: number) {
    const wasOpen = this.#isOpen
    this.#isOpen = cap === null || slots === null
    if (cap === null || slots === null) return
    const { mean, stayMs } = slots ?? { mean: Math.max(1, cap * share), stayMs: 0 }
    const busyMs = this.#inFlight.busyMs(nowMs)
    if (wasOpen) this.#window.restart(this.#coin(), stayMs, busyMs, nowMs)
    this.#window.set(mean, stayMs, busyMs, nowMs)
    // A small part is used now and then. What was not used before may be used twice at once.
    this.#over = slots === undefined ? 0 : 1
  }

  isFull(nowMs: number): boolean {
    if (this.#isOpen) return false
    const { level, busyMs } = this.#inFlight
    return !this.#window.hasRoom(level(), busyMs(nowMs), nowMs, this.#over)
  }
}
