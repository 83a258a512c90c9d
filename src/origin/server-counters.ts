import type { ServerFeedback } from '../protocol/feedback.ts'

/** Tries and failures of each server of a pool since the last report. */
export class ServerCounters {
  #seen = new Map<string, { tries: number; failures: number; requests: number }>()

  /** A visitor's request goes to the server. */
  sent(server: string): void {
    this.#of(server).requests++
  }

  /** The server answered, with any status. */
  answered(server: string): void {
    this.#of(server).tries++
  }

  /** The server could not be reached, or took too long. */
  failed(server: string): void {
    const seen = this.#of(server)
    seen.tries++
    seen.failures++
  }

  /** A health check failed. It counts twice: checks are rare, and a server says by it that it wants no requests. */
  failedCheck(server: string): void {
    this.failed(server)
    this.failed(server)
  }

  /** null: no server was tried. */
  drain(): Readonly<Record<string, ServerFeedback>> | null {
    if (this.#seen.size === 0) return null
    const drained = Object.fromEntries(
      [...this.#seen].map(([server, { requests, ...tries }]) => [
        server,
        requests > 0 ? { ...tries, requests } : tries,
      ]),
    )
    this.#seen = new Map()
    return drained
  }

  #of(server: string): { tries: number; failures: number; requests: number } {
    let seen = this.#seen.get(server)
    if (seen === undefined) {
      seen = { tries: 0, failures: 0, requests: 0 }
      this.#seen.set(server, seen)
    }
    return seen
  }
}
