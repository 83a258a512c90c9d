import type { Output } from '../command.ts'

/** The alternate screen of a terminal: what was there before comes back at the end. */
const OPEN = '\u001b[?1049h\u001b[?25l'
const CLOSE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const CLEAR_LINE = '\u001b[K'
const CLEAR_BELOW = '\u001b[J'
const CTRL_C = '\u0003'

/** A view that fills a terminal and ends with q or Ctrl-C. */
export class Screen {
  readonly #output: Output
  readonly #ending = new AbortController()
  #shown = ''

  constructor(output: Output) {
    this.#output = output
    output.write(OPEN)
    const { stdin } = process
    if (stdin.isTTY) {
      stdin.setRawMode(true)
      stdin.on('data', this.#onKey).resume()
    }
    process.once('exit', this.#restore)
  }

  /** Aborts when the view ends. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  get isClosed(): boolean {
    return this.#ending.signal.aborted
  }

  get hasShown(): boolean {
    return this.#shown !== ''
  }

  show(text: string): void {
    this.#shown = text
    // A terminal without a size says 0.
    const rows = process.stdout.rows || 24
    const columns = process.stdout.columns || 80
    const lines = text
      .split('\n')
      .slice(0, rows - 1)
      .map((line) => [...line].slice(0, columns).join('') + CLEAR_LINE)
    this.#output.write(`${HOME}${lines.join('\r\n')}${CLEAR_BELOW}`)
  }

  /** Keeps the last look and says something above it. */
  note(text: string): void {
    const [, ...rest] = this.#shown.split('\n')
    this.show([text, ...rest].join('\n'))
  }

  close(): void {
    this.#ending.abort()
    process.removeListener('exit', this.#restore)
    this.#restore()
    const { stdin } = process
    stdin.off('data', this.#onKey).pause()
  }

  readonly #onKey = (key: Buffer): void => {
    const text = key.toString()
    if (text.includes('q') || text.includes(CTRL_C)) this.#ending.abort()
  }

  readonly #restore = (): void => {
    if (process.stdin.isTTY) process.stdin.setRawMode(false)
    this.#output.write(CLOSE)
  }
}
