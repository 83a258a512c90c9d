/** Adds up the time in which at least one thing is under way. */
export class BusyTime {
  readonly #now: () => number
  #underWay = 0
  #sinceMs = 0
  #busyMs = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get busyMs(): number {
    return this.#busyMs + (this.#underWay > 0 ? this.#now() - this.#sinceMs : 0)
  }

  /** Counts from now on. */
  restart(): void {
    this.#busyMs = 0
    this.#sinceMs = this.#now()
  }

  async during<Value>(work: Promise<Value>): Promise<Value> {
    if (this.#underWay++ === 0) this.#sinceMs = this.#now()
    try {
      return await work
    } finally {
      if (--this.#underWay === 0) this.#busyMs += this.#now() - this.#sinceMs
    }
  }

  get isBusy(): boolean {
    return this.#underWay > 0
  }
}
