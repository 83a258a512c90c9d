import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { end, startProcess } from '../child.ts'

const PROGRAM = fileURLToPath(new URL('server-process.ts', import.meta.url))

/** Two workers at 40 ms a page: 50 pages/s for each server. */
export const DEMO_SERVER = { servers: 2, meanServiceMs: 40 } as const

/** A server process of the demo origin. */
export class DemoServer {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(url: string, child: ChildProcess) {
    this.url = url
    this.#child = child
  }

  static async start(seed: number): Promise<DemoServer> {
    const argument = JSON.stringify({ ...DEMO_SERVER, seed })
    const child = startProcess(process.execPath, [PROGRAM, argument], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const [{ url }] = (await once(child, 'message')) as [{ url: string }]
    return new DemoServer(url, child)
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Requests that it still works on. */
  async busy(): Promise<number> {
    if (!this.#child.connected) return 0
    const answer = once(this.#child, 'message')
    this.#child.send('busy')
    const [{ busy }] = (await answer) as [{ busy: number }]
    return busy
  }

  stop(): Promise<void> {
    return end(this.#child)
  }
}
