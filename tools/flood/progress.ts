import { CALM_PART, type Phase } from './crowd.ts'
import type { Figures } from './page-counts.ts'
import type { RunName } from './report.ts'

export interface Progress {
  readonly name: RunName
  readonly elapsedMs: number
  readonly seconds: number
  readonly totals: Readonly<Record<Phase, Figures>>
}

const BAR_CELLS = 20
const REDRAW_MS = 250
const LINE_EVERY_MS = 5000

export function progressLine({ name, elapsedMs, seconds, totals }: Progress): string {
  const done = Math.min(1, elapsedMs / (seconds * 1000))
  const full = Math.floor(done * BAR_CELLS)
  const bar = '#'.repeat(full) + '-'.repeat(BAR_CELLS - full)
  const left = Math.max(0, Math.ceil(seconds - elapsedMs / 1000))
  const phase = done < CALM_PART ? 'calm ' : 'surge'
  const count = (key: 'inSla' | 'late' | 'refused' | 'abandoned' | 'failed') =>
    totals.calm[key] + totals.surge[key]
  return (
    `${name.padEnd(6)} [${bar}] ${phase} ${String(left).padStart(3)} s left  in SLA ${count('inSla')}` +
    `  late ${count('late')}  refused ${count('refused')}  abandoned ${count('abandoned')}` +
    `  failed ${count('failed')}`
  )
}

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/**
 * On a terminal one line that is redrawn; otherwise, as in a log, a plain line from time to time.
 */
export class ProgressPrinter {
  readonly #out: Terminal
  #printedMs = Number.NEGATIVE_INFINITY
  #open = false

  constructor(out: Terminal) {
    this.#out = out
  }

  update(progress: Progress): void {
    const everyMs = this.#out.isTTY ? REDRAW_MS : LINE_EVERY_MS
    if (progress.elapsedMs < this.#printedMs + everyMs) return
    this.#printedMs = progress.elapsedMs
    if (!this.#out.isTTY) {
      this.#out.write(`${progressLine(progress)}\n`)
      return
    }
    // A line that is too long would wrap, and only one line can be redrawn.
    this.#out.write(`\r\x1b[K${progressLine(progress).slice(0, (this.#out.columns ?? 80) - 1)}`)
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
