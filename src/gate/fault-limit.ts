import { TokenBucket } from '../admission/token-bucket.ts'

/** What an isolate admits by itself under the rule `local`: where its own code fails, it knows no better limit. */
const LOCAL_PER_SECOND = 10

/** The limit of the rule `local` for requests that met an exception in the gate. */
export class FaultLimit {
  readonly #bucket: TokenBucket

  constructor(nowMs: number) {
    this.#bucket = new TokenBucket(nowMs, LOCAL_PER_SECOND)
    this.#bucket.set(LOCAL_PER_SECOND, LOCAL_PER_SECOND, nowMs)
  }

  admits(nowMs: number): boolean {
    return this.#bucket.take(1, 0, nowMs)
  }
}
