import { Queue } from '../engine/queue.ts'

/** Requests that wait for a server, in the order of service. */
export interface WaitingQueue {
  readonly length: number
  push(id: number, klass: number): void
  shift(): number
}

export class FirstCome implements WaitingQueue {
  readonly #queue = new Queue()

  get length(): number {
    return this.#queue.length
  }

  push(id: number): void {
    this.#queue.push(id)
  }

  shift(): number {
    return this.#queue.shift()
  }
}

/** Lower class numbers first; within a class, first come, first served. */
export class ByClass implements WaitingQueue {
  readonly #queues: Queue[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(id: number, klass: number): void {
    while (this.#queues.length <= klass) this.#queues.push(new Queue())
    this.#queues[klass]!.push(id)
    this.#length++
  }

  shift(): number {
    this.#length--
    return this.#queues.find((queue) => queue.length > 0)!.shift()
  }
}
