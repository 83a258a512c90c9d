/** Request numbers sorted by a key, smallest first; equal keys in the order of arrival. */
export class Ranking {
  readonly #keys: number[] = []
  readonly #orders: number[] = []
  readonly #ids: number[] = []
  #added = 0

  get length(): number {
    return this.#ids.length
  }

  get leastKey(): number {
    return this.#keys[0] ?? Number.POSITIVE_INFINITY
  }

  add(key: number, id: number): void {
    const order = this.#added++
    let hole = this.#ids.length
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (this.#keys[parent]! <= key) break
      this.#put(hole, this.#keys[parent]!, this.#orders[parent]!, this.#ids[parent]!)
      hole = parent
    }
    this.#put(hole, key, order, id)
  }

  removeLeast(): number {
    const least = this.#ids[0]!
    const key = this.#keys.pop()!
    const order = this.#orders.pop()!
    const id = this.#ids.pop()!
    const { length } = this.#ids
    if (length === 0) return least
    let hole = 0
    for (let child = 1; child < length; child = 2 * hole + 1) {
      if (
        child + 1 < length &&
        this.#isBefore(child + 1, this.#keys[child]!, this.#orders[child]!)
      ) {
        child++
      }
      if (!this.#isBefore(child, key, order)) break
      this.#put(hole, this.#keys[child]!, this.#orders[child]!, this.#ids[child]!)
      hole = child
    }
    this.#put(hole, key, order, id)
    return least
  }

  #isBefore(entry: number, key: number, order: number): boolean {
    const own = this.#keys[entry]!
    return own < key || (own === key && this.#orders[entry]! < order)
  }

  #put(at: number, key: number, order: number, id: number): void {
    this.#keys[at] = key
    this.#orders[at] = order
    this.#ids[at] = id
  }
}
