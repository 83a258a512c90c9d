import type { Timers } from '../../lab/edge/timers.ts'

/** Servers with one queue, first come, first served. */
export class QueuedServers {
  readonly #timers: Timers
  readonly #waiting: { readonly serviceMs: number; readonly done: () => void }[] = []
  #free: number

  constructor(timers: Timers, servers: number) {
    this.#timers = timers
    this.#free = servers
  }

  serve(serviceMs: number, done: () => void): void {
    this.#waiting.push({ serviceMs, done })
    this.#next()
  }

  #next(): void {
    if (this.#free === 0) return
    const next = this.#waiting.shift()
    if (next === undefined) return
    this.#free--
    this.#timers.after(next.serviceMs, () => {
      this.#free++
      next.done()
      this.#next()
    })
  }
}
