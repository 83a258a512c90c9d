/** One server that shares itself equally among the requests in service. */
export class SharedServer<Job> {
  /** By attained service at which a job is done, the last to be done first. */
  readonly #jobs: { readonly job: Job; readonly doneAt: number }[] = []
  /** Service in ms that each job in service since the start would have had. */
  #attained = 0
  #nowMs = 0

  get size(): number {
    return this.#jobs.length
  }

  enter(job: Job, serviceMs: number): void {
    const doneAt = this.#attained + serviceMs
    let place = this.#jobs.length
    while (place > 0 && this.#jobs[place - 1]!.doneAt < doneAt) place--
    this.#jobs.splice(place, 0, { job, doneAt })
  }

  /** Lets time pass; `done` is told of each job and of the moment at which it was done. */
  run(untilMs: number, done: (job: Job, atMs: number) => void): void {
    for (;;) {
      const next = this.#jobs.at(-1)
      if (!next) break
      const atMs = this.#nowMs + (next.doneAt - this.#attained) * this.#jobs.length
      if (atMs > untilMs) {
        this.#attained += (untilMs - this.#nowMs) / this.#jobs.length
        break
      }
      this.#attained = next.doneAt
      this.#nowMs = atMs
      this.#jobs.pop()
      done(next.job, atMs)
    }
    this.#nowMs = untilMs
  }
}
