/** Part of the places that is for keys seen only once. */
const NEWCOMERS = 0.25

/**
 * A map that never grows beyond its capacity. The longest unseen goes first, and keys seen only
 * once compete with each other alone: a scan through ever new paths cannot drive out those that
 * matter.
 */
export class ScanResistantCache<Value> {
  readonly #newcomers = new Map<string, Value>()
  readonly #regulars = new Map<string, Value>()
  readonly #mostNewcomers: number
  readonly #mostRegulars: number

  constructor(capacity: number) {
    this.#mostNewcomers = Math.max(1, Math.floor(capacity * NEWCOMERS))
    this.#mostRegulars = Math.max(1, Math.floor(capacity) - this.#mostNewcomers)
  }

  get size(): number {
    return this.#newcomers.size + this.#regulars.size
  }

  get(key: string): Value | undefined {
    return this.#regulars.get(key) ?? this.#newcomers.get(key)
  }

  /** The second time makes a regular of a newcomer. */
  set(key: string, value: Value): void {
    const isKnown = this.#regulars.delete(key) || this.#newcomers.delete(key)
    if (isKnown) put(this.#regulars, key, value, this.#mostRegulars)
    else put(this.#newcomers, key, value, this.#mostNewcomers)
  }
}

/** A Map keeps the order in which its keys were put in: the first is the longest unseen. */
function put<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.set(key, value)
  if (map.size <= most) return
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
