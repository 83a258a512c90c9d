/** First come, first served: a ring of request numbers. */
export class Queue {
  #ring = new Int32Array(64)
  #head = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(id: number): void {
    if (this.#length === this.#ring.length) this.#grow()
    this.#ring[(this.#head + this.#length++) & (this.#ring.length - 1)] = id
  }

  shift(): number {
    const id = this.#ring[this.#head]!
    this.#head = (this.#head + 1) & (this.#ring.length - 1)
    this.#length--
    return id
  }

  #grow(): void {
    const ring = new Int32Array(2 * this.#ring.length)
    for (let i = 0; i < this.#length; i++) {
      ring[i] = this.#ring[(this.#head + i) & (this.#ring.length - 1)]!
    }
    this.#ring = ring
    this.#head = 0
  }
}
