/** Servers of one station: which are free, what the others serve, which are about to leave. */
export class Servers {
  #speeds: number[] = []
  /** The request that each server serves; −1: free. */
  #serving: number[] = []
  #leaving: boolean[] = []
  #free: number[] = []
  #mixed = false

  constructor(servers: number | readonly number[]) {
    this.resize(servers, false)
  }

  get busy(): readonly number[] {
    return this.#serving.filter((id) => id >= 0)
  }

  get busyCount(): number {
    return this.#serving.length - this.#free.length
  }

  /** Sum of the speeds of the servers that stay. */
  get capacity(): number {
    let sum = 0
    for (let i = 0; i < this.#speeds.length; i++) if (!this.#leaving[i]) sum += this.#speeds[i]!
    return sum
  }

  get hasFree(): boolean {
    return this.#free.length > 0
  }

  speedOf(server: number): number {
    return this.#speeds[server]!
  }

  /** Takes the fastest free server and returns its number. */
  take(id: number): number {
    let best = this.#free.length - 1
    if (this.#mixed) {
      for (let i = best - 1; i >= 0; i--) {
        if (this.#speeds[this.#free[i]!]! > this.#speeds[this.#free[best]!]!) best = i
      }
    }
    const server = this.#free[best]!
    this.#free[best] = this.#free.at(-1)!
    this.#free.pop()
    this.#serving[server] = id
    return server
  }

  release(server: number): void {
    this.#serving[server] = -1
    if (this.#leaving[server]) this.#remove(server)
    else this.#free.push(server)
  }

  /** Replaces the servers. Returns the requests of servers that left at once. */
  resize(servers: number | readonly number[], abrupt: boolean): number[] {
    const wanted = typeof servers === 'number' ? new Array<number>(servers).fill(1) : [...servers]
    const order = this.#speeds.map((_, i) => i)
    // A planned removal takes idle servers first; a fault does not choose.
    if (!abrupt) order.sort((a, b) => Number(this.#serving[a]! < 0) - Number(this.#serving[b]! < 0))
    const gone: number[] = []
    for (const server of order) {
      const kept = wanted.indexOf(this.#speeds[server]!)
      this.#leaving[server] = kept < 0
      if (kept >= 0) wanted.splice(kept, 1)
    }
    for (let server = this.#speeds.length - 1; server >= 0; server--) {
      if (!this.#leaving[server]) continue
      if (this.#serving[server]! < 0) this.#remove(server)
      else if (abrupt) {
        gone.push(this.#serving[server]!)
        this.#remove(server)
      }
    }
    for (const speed of wanted) this.#add(speed)
    this.#mixed = this.#speeds.some((speed) => speed !== this.#speeds[0])
    return gone
  }

  /** Number of the server that serves this request; −1: none. */
  serverOf(id: number): number {
    return this.#serving.indexOf(id)
  }

  #add(speed: number): void {
    this.#free.push(this.#speeds.push(speed) - 1)
    this.#serving.push(-1)
    this.#leaving.push(false)
  }

  /** A server's number is its position, so the last server moves into the gap. */
  #remove(server: number): void {
    const last = this.#speeds.length - 1
    this.#free = this.#free.filter((other) => other !== server)
    this.#speeds[server] = this.#speeds[last]!
    this.#serving[server] = this.#serving[last]!
    this.#leaving[server] = this.#leaving[last]!
    this.#free = this.#free.map((other) => (other === last ? server : other))
    this.#speeds.pop()
    this.#serving.pop()
    this.#leaving.pop()
  }
}
