/** Part of the capacity that is for keys seen only once. */
const NEW_PART = 0.25

/**
 * A map of limited size, which drops the least recently set key. Keys seen only once have a part of their own, so
 * that a scan over many new paths does not push out the paths that are used regularly.
 */
export class ScanResistantCache<Value> {
  readonly #newKeys = new Map<string, Value>()
  readonly #regularKeys = new Map<string, Value>()
  readonly #mostNew: number
  readonly #mostRegular: number

  constructor(capacity: number) {
    this.#mostNew = Math.max(1, Math.floor(capacity * NEW_PART))
    this.#mostRegular = Math.max(1, Math.floor(capacity) - this.#mostNew)
  }

  get(key: string): Value | undefined {
    return this.#regularKeys.get(key) ?? this.#newKeys.get(key)
  }

  /** A key that is set for the second time counts as regular. */
  set(key: string, value: Value): void {
    const isKnown = this.#regularKeys.delete(key) || this.#newKeys.delete(key)
    if (isKnown) put(this.#regularKeys, key, value, this.#mostRegular)
    else put(this.#newKeys, key, value, this.#mostNew)
  }
}

/** A Map keeps the order of insertion: its first key is the least recently set one. */
function put<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.set(key, value)
  if (map.size <= most) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
