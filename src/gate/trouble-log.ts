/**
 * Troubles that every request of a bad hour would show: each is logged at most once a minute by an isolate, with the number
 * of times it has happened since.
 */
export class TroubleLog {
  readonly #warn: (line: string) => void
  readonly #troubles = new Map<string, { loggedAtMs: number; since: number }>()

  constructor(warn: (line: string) => void) {
    this.#warn = warn
  }

  /** `key` tells troubles apart. It must not come from a client: the number of keys is not bounded here. */
  say(key: string, nowMs: number, line: () => string): void {
    const before = this.#troubles.get(key)
    if (before !== undefined && nowMs - before.loggedAtMs < EVERY_MS) {
      before.since++
      return
    }
    this.#troubles.set(key, { loggedAtMs: nowMs, since: 0 })
    const since = before?.since ?? 0
    this.#warn(since === 0 ? line() : `${line()} (${since} more since the last line)`)
  }
}

const EVERY_MS = 60_000

/** The log of this isolate. */
export const TROUBLES = new TroubleLog((line) => console.warn(line))

export function unreachableLine(server: string, cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause)
  return `Tidegate: the origin ${server} cannot be reached: ${said}`
}

export function faultLine(route: string, rule: string, error: unknown): string {
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return `Tidegate: an error in the gate itself, route ${route}: failure: '${rule}' decides. ${said}`
}

/** Without the query, which may be about a person. */
export function noRouteLine(method: string, authority: string, path: string): string {
  return `Tidegate: no route takes ${method} ${authority}${path}. It is answered with 404.`
}
