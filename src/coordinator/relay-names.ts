/** A relay that was heard of longer ago is not told of plans any more. */
const TOLD_FOR_MS = 60_000

/** A relay answers questions by itself for this long after the coordinator has answered it: as long as it is told, and less. */
export const ANSWERS_FOR_MS = 20_000

/**
 * The relays that get a changed plan at once, without asking. Their names are stored: after an eviction nobody else knows
 * which relays hold a plan.
 */
export class RelayNames {
  readonly #heardAtMs = new Map<string, number>()
  #stored: ReadonlySet<string>

  /** `stored`: nobody knows when they were heard of. */
  constructor(stored: readonly string[], nowMs: number) {
    this.#stored = new Set(stored)
    for (const name of stored) this.#heardAtMs.set(name, nowMs)
  }

  /** A relay has reported or asked. Returns the names that must be stored; null: those that are stored will do. */
  heard(name: string, nowMs: number): readonly string[] | null {
    this.#heardAtMs.set(name, nowMs)
    if (this.#stored.has(name)) return null
    const names = this.current(nowMs)
    this.#stored = new Set(names)
    return names
  }

  current(nowMs: number): readonly string[] {
    for (const [name, atMs] of this.#heardAtMs)
      if (nowMs - atMs > TOLD_FOR_MS) this.#heardAtMs.delete(name)
    return [...this.#heardAtMs.keys()]
  }
}
