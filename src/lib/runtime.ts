/** Clock, random numbers and timer. Only the entry points pass the real ones. */
export interface Runtime {
  now(): number
  /** A random number in [0, 1). */
  coin(): number
  /** A random id of at least 96 bits that fits into a cookie. */
  id(): string
  sleep(ms: number): Promise<void>
}

/** Keeps work alive after the response is sent, like a Worker's `ExecutionContext`. */
export interface Background {
  waitUntil(work: Promise<unknown>): void
}
