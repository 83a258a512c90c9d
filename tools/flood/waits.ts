/** Visitors of a run who were sent to a waiting room. */
export class Waits {
  #visitors = 0
  readonly #enteredMs: number[] = []

  /** A visitor sees the waiting page for the first time. */
  begin(): void {
    this.#visitors++
  }

  /** A visitor who waited so long has entered. */
  enter(ms: number): void {
    this.#enteredMs.push(ms)
  }

  get report(): WaitsReport {
    const sorted = this.#enteredMs.toSorted((a, b) => a - b)
    return {
      visitors: this.#visitors,
      entered: sorted.length,
      medianS: sorted.length === 0 ? null : sorted[sorted.length >> 1]! / 1000,
    }
  }
}

export interface WaitsReport {
  readonly visitors: number
  readonly entered: number
  /** Median wait of those who entered; null: nobody did. */
  readonly medianS: number | null
}

/** One line of the result; null: nobody waited. */
export function waitsLine({ visitors, entered, medianS }: WaitsReport): string | null {
  if (visitors === 0) return null
  const wait = medianS === null ? '' : `, after ${medianS.toFixed(0)} s (median)`
  return `Waiting room: ${visitors} visitors waited, ${entered} of them entered during the run${wait}.`
}
