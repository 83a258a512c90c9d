/**
 * A cache of recently used entries. It keeps two maps: when the young one is full, it replaces the old one. So no
 * operation ever walks over the entries.
 */
export class TwoGenerationCache<Key, Value> {
  readonly #most: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  /** Keeps the last `most` entries, and at most twice as many. */
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
