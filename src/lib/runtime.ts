/** Where time and chance come in: only the entries of the program fill this with the real ones. */
export interface Runtime {
  now(): number
  coin(): number
  sleep(ms: number): Promise<void>
}

/** Keeps work alive after the answer has gone out: a Worker's `ExecutionContext`, or its like. */
export interface Background {
  waitUntil(work: Promise<unknown>): void
}
