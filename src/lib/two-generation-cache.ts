/**
 * Remembers the last few thousand of what it is told, and forgets the rest: two generations, so that
 * neither looking up nor forgetting ever walks over the entries.
 */
export class TwoGenerationCache<Key, Value> {
  readonly #most: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  /** Holds at least `most` and at most twice as many. */
  constructor(most: number) {
    this.#most = most
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#most) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }
}
