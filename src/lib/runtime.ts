/** Time, chance and timers. Only the entries of the program pass the real ones in. */
export interface Runtime {
  now(): number
  /** A random number in [0, 1). */
  coin(): number
  /** A random id of at least 96 bits that fits into a cookie. */
  id(): string
  sleep(ms: number): Promise<void>
}

/** Keeps work alive after the answer has gone out: the `ExecutionContext` of a Worker, or its like. */
export interface Background {
  waitUntil(work: Promise<unknown>): void
}
