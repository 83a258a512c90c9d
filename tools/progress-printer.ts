interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const BAR_CELLS = 20
const REDRAW_MS = 250
const LINE_EVERY_MS = 5000

/** `done`: from 0 to 1. */
export function progressBar(done: number): string {
  const full = Math.floor(done * BAR_CELLS)
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_CELLS - full)}]`
}

/**
 * On a terminal one line that is redrawn; otherwise, as in a log, a plain line from time to time.
 */
export class ProgressPrinter<Progress extends { readonly elapsedMs: number }> {
  readonly #out: Terminal
  readonly #lineOf: (progress: Progress) => string
  #printedMs = Number.NEGATIVE_INFINITY
  #open = false

  constructor(out: Terminal, lineOf: (progress: Progress) => string) {
    this.#out = out
    this.#lineOf = lineOf
  }

  update(progress: Progress): void {
    const everyMs = this.#out.isTTY ? REDRAW_MS : LINE_EVERY_MS
    if (progress.elapsedMs < this.#printedMs + everyMs) return
    this.#printedMs = progress.elapsedMs
    const line = this.#lineOf(progress)
    if (!this.#out.isTTY) {
      this.#out.write(`${line}\n`)
      return
    }
    // A line that is too long would wrap, and only one line can be redrawn.
    this.#out.write(`\r\x1b[K${line.slice(0, (this.#out.columns ?? 80) - 1)}`)
    this.#open = true
  }

  /** Prints a line between the runs. */
  say(text: string): void {
    this.close()
    this.#out.write(`${text}\n`)
  }

  /** Clears the bar for the next run. */
  close(): void {
    if (this.#open) this.#out.write('\r\x1b[K')
    this.#open = false
    this.#printedMs = Number.NEGATIVE_INFINITY
  }
}
