interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const BAR_CELLS = 24
const REDRAW_MS = 200
const LINE_EVERY_MS = 10_000

export function progressLine(title: string, done: number, of: number, elapsedMs: number): string {
  const full = Math.floor((done / of) * BAR_CELLS)
  const bar = '#'.repeat(full) + '-'.repeat(BAR_CELLS - full)
  return `${title} [${bar}] ${done} of ${of} runs, ${leftText(done, of, elapsedMs)}`
}

/** Estimated from the time that the runs so far have taken. */
function leftText(done: number, of: number, elapsedMs: number): string {
  if (done === 0) return 'starting'
  const seconds = Math.round(((elapsedMs / done) * (of - done)) / 1000)
  const minutes = Math.floor(seconds / 60)
  return minutes > 0 ? `${minutes} min ${seconds % 60} s left` : `${seconds} s left`
}

/**
 * On a terminal one line that is redrawn; otherwise, as in a log, a plain line from time to time.
 */
export class ProgressBar {
  readonly #out: Terminal
  readonly #now: () => number
  readonly #title: string
  readonly #startMs: number
  #drawnMs = Number.NEGATIVE_INFINITY
  #isOpen = false

  constructor(title: string, out: Terminal, now: () => number) {
    this.#title = title
    this.#out = out
    this.#now = now
    this.#startMs = now()
    // A log needs no line before the first run is done.
    if (!out.isTTY) this.#drawnMs = this.#startMs
  }

  update(done: number, of: number): void {
    const nowMs = this.#now()
    if (nowMs < this.#drawnMs + (this.#out.isTTY ? REDRAW_MS : LINE_EVERY_MS)) return
    this.#drawnMs = nowMs
    const line = progressLine(this.#title, done, of, nowMs - this.#startMs)
    if (!this.#out.isTTY) {
      this.#out.write(`${line}\n`)
      return
    }
    // A line that is too long would wrap, and only one line can be redrawn.
    this.#out.write(`\r\x1b[K${line.slice(0, (this.#out.columns ?? 80) - 1)}`)
    this.#isOpen = true
  }

  close(): void {
    if (this.#isOpen) this.#out.write('\r\x1b[K')
    this.#isOpen = false
  }
}
