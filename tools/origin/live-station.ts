import { type Completion, Station, type StationChange, type StationOptions } from './station.ts'

type Leave = (completion: Completion<Leave> | null) => void

/** A station in real time, with one timer for the next end of a service. */
export class LiveStation {
  readonly #station: Station<Leave>
  #timer: NodeJS.Timeout | undefined
  #timerMs = Number.POSITIVE_INFINITY
  #served = 0

  constructor(options: StationOptions) {
    this.#station = new Station(options)
  }

  get waiting(): number {
    return this.#station.waiting
  }

  get inFlight(): number {
    return this.#station.inFlight
  }

  get served(): number {
    return this.#served
  }

  /** Resolves when the job has been served, or with null when it was dropped or turned away. */
  serve(demandMs: number): Promise<Completion<Leave> | null> {
    return new Promise((leave) => {
      if (!this.#station.arrive(leave, demandMs, performance.now())) leave(null)
      this.#setTimer()
    })
  }

  change(change: StationChange): void {
    this.#station.change(change, performance.now())
    this.#setTimer()
  }

  /** Drops all jobs, as a restart does. */
  clear(): number {
    const left = this.#station.clear()
    for (const leave of left) leave(null)
    this.#setTimer()
    return left.length
  }

  #setTimer(): void {
    const nextMs = this.#station.nextEndMs ?? Number.POSITIVE_INFINITY
    if (nextMs === this.#timerMs) return
    clearTimeout(this.#timer)
    this.#timerMs = nextMs
    if (nextMs === Number.POSITIVE_INFINITY) return
    this.#timer = setTimeout(
      () => this.#onTimer(),
      Math.max(0, Math.ceil(nextMs - performance.now())),
    )
  }

  #onTimer(): void {
    this.#timerMs = Number.POSITIVE_INFINITY
    for (const completion of this.#station.advance(performance.now())) {
      this.#served++
      completion.tag(completion)
    }
    this.#setTimer()
  }
}
