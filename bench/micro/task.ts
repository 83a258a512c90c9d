/** Something small to time: one call, repeated. */
export interface Task {
  readonly name: string
  /** Its result is used, so that no compiler removes the call. */
  readonly run: (turn: number) => unknown
}

/** Calls a task repeatedly. No two calls have the same turn. */
export class Repeater {
  readonly #task: Task
  #turn = 0

  constructor(task: Task) {
    this.#task = task
  }

  /** Returns something that depends on all calls. */
  repeat(times: number): number {
    const { run } = this.#task
    const end = this.#turn + times
    let used = 0
    for (let turn = this.#turn; turn < end; turn++) if (run(turn) !== undefined) used++
    this.#turn = end
    return used
  }
}
