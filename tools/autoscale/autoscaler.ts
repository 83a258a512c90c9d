import type { CapacityAnswer } from '../../src/coordinator/capacity/answer.ts'
import type { LocalGate } from '../local-gate.ts'
import { DemoServer } from './demo-server.ts'

interface AutoscalerOptions {
  readonly gate: Pick<LocalGate, 'url' | 'adminToken'>
  readonly route: string
  readonly tier: string
  /** The server that is always there. */
  readonly firstUrl: string
  /** A new server gets no request before this time has passed: it stands for the start of a machine. */
  readonly startupMs: number
  readonly say?: (line: string) => void
}

const POLL_MS = 500
/** After it left the pool, a server may still get requests from isolates with an older plan. */
const LEAVE_MS = 2500
const DRAIN_POLL_MS = 200

/**
 * A small autoscaler for the demo: reads how many servers Tidegate wants, starts and stops real server processes, and
 * keeps the pool in step. What it does for the demo, KEDA or an autoscaling group do for a site.
 */
export class Autoscaler {
  readonly #options: AutoscalerOptions
  readonly #serving: DemoServer[] = []
  readonly #leaving = new Set<Promise<void>>()
  #starting = 0
  #seed = 1
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()

  constructor(options: AutoscalerOptions) {
    this.#options = options
  }

  /** Servers in the pool, with the first one. */
  get servers(): number {
    return 1 + this.#serving.length
  }

  get pids(): readonly number[] {
    return this.#serving.map(({ pid }) => pid)
  }

  run(): void {
    this.#timer = setTimeout(() => {
      this.#working = this.#step().finally(() => {
        if (!this.#isOver) this.run()
      })
    }, POLL_MS)
  }

  async close(): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    await this.#working
    await Promise.all(this.#serving.map((server) => server.stop()))
    await Promise.all(this.#leaving)
  }

  async #step(): Promise<void> {
    const answer = await this.#answer()
    if (answer === null) return
    const { desired = 1 } = answer.tiers[this.#options.tier] ?? {}
    const missing = desired - this.servers - this.#starting
    if (missing > 0) this.#say(`${answer.reason}: ${missing} more, ${desired} in all`)
    for (let i = 0; i < missing; i++) this.#add()
    if (missing < 0 && this.#starting === 0) await this.#remove(-missing, answer)
  }

  #add(): void {
    const { startupMs } = this.#options
    this.#starting++
    const start = async (): Promise<void> => {
      const server = await DemoServer.start(++this.#seed)
      await new Promise((resolve) => setTimeout(resolve, startupMs))
      this.#starting--
      if (this.#isOver) return server.stop()
      this.#serving.push(server)
      await this.#tellPool()
      this.#say(`${server.url} serves: ${this.servers} in the pool`)
      return
    }
    const started = start().catch((error) => this.#say(`a server did not start: ${error}`))
    this.#leaving.add(started)
    void started.finally(() => this.#leaving.delete(started))
  }

  /** The last servers leave the pool first, then finish their requests, then end. */
  async #remove(count: number, { reason }: CapacityAnswer): Promise<void> {
    const leaving = this.#serving.splice(Math.max(0, this.#serving.length - count))
    if (leaving.length === 0) return
    await this.#tellPool()
    this.#say(`${reason}: ${leaving.length} fewer, ${this.servers} in all`)
    for (const server of leaving) {
      const left = this.#drain(server)
      this.#leaving.add(left)
      void left.finally(() => this.#leaving.delete(left))
    }
  }

  async #drain(server: DemoServer): Promise<void> {
    const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
    if (!this.#isOver) await pause(LEAVE_MS)
    while (!this.#isOver && (await server.busy()) > 0) await pause(DRAIN_POLL_MS)
    await server.stop()
    this.#say(`${server.url} has ended`)
  }

  async #answer(): Promise<CapacityAnswer | null> {
    const response = await this.#ask('capacity')
    return response.ok ? ((await response.json()) as CapacityAnswer) : null
  }

  async #tellPool(): Promise<void> {
    const urls = [this.#options.firstUrl, ...this.#serving.map(({ url }) => url)]
    const servers = urls.map((url) => ({ url, weight: 1 }))
    const response = await this.#ask('servers', {
      method: 'POST',
      body: JSON.stringify({ servers }),
    })
    if (!response.ok) this.#say(`the pool was not changed: ${await response.text()}`)
  }

  #ask(what: string, init: RequestInit = {}): Promise<Response> {
    const { gate, route } = this.#options
    return fetch(`${gate.url}/_tidegate/api/v1/routes/${route}/${what}`, {
      ...init,
      headers: { Authorization: `Bearer ${gate.adminToken}`, 'Content-Type': 'application/json' },
    })
  }

  #say(line: string): void {
    this.#options.say?.(`  autoscaler: ${line}`)
  }
}
