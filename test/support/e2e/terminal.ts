import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program in a pseudo-terminal, as a person runs it: util-linux's `script` makes the terminal. */
export class Terminal {
  readonly child: ChildProcess
  #text = ''
  #hasEnded = false
  #changed: () => void = () => {}

  constructor(
    program: string,
    args: readonly string[],
    options: { cwd: string; env?: NodeJS.ProcessEnv },
  ) {
    const line = [program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
    this.child = spawn('script', ['-qfec', line, '/dev/null'], {
      cwd: options.cwd,
      env: { ...process.env, TERM: 'xterm', COLUMNS: '100', LINES: '30', ...options.env },
      stdio: 'pipe',
    })
    this.child.stdout!.setEncoding('utf8').on('data', (piece: string) => {
      this.#text += piece
      this.#changed()
    })
    // All output has come by then.
    this.child.once('close', () => {
      this.#hasEnded = true
      this.#changed()
    })
  }

  /** Everything that was shown. */
  get text(): string {
    return this.#text
  }

  /** Waits until the screen has shown this. */
  async shows(wanted: string | RegExp): Promise<void> {
    const isThere = (): boolean =>
      typeof wanted === 'string' ? this.#text.includes(wanted) : wanted.test(this.#text)
    while (!isThere()) {
      if (this.#hasEnded) throw new Error(`It ended with:\n${this.#text}`)
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  type(text: string): void {
    this.child.stdin!.write(text)
  }

  async end(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode
    const [code] = (await once(this.child, 'exit')) as [number | null]
    return code
  }
}
