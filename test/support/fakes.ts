import type { Background, Runtime } from '../../src/lib/runtime.ts'
import type { CoordinatorPort, ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'

/** A clock that stands still until it is told to go on, and a coin that always falls the same. */
export class FakeRuntime implements Runtime {
  #nowMs: number
  #ids = 0
  #sleepers: { readonly atMs: number; readonly wake: () => void }[] = []

  constructor(nowMs = 1_800_000_000_000) {
    this.#nowMs = nowMs
  }

  now = (): number => this.#nowMs

  coin = (): number => 0.5

  /** Ids in order, of the length of real ones. */
  id = (): string => `id-${String(this.#ids++).padStart(13, '0')}`

  sleep = (ms: number): Promise<void> =>
    new Promise((wake) => this.#sleepers.push({ atMs: this.#nowMs + ms, wake }))

  /** Wakes whoever is due, in order, each at its own time. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms
    await settle()
    for (;;) {
      const next = this.#sleepers
        .filter(({ atMs }) => atMs <= endMs)
        .sort((a, b) => a.atMs - b.atMs)[0]
      if (!next) break
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next)
      this.#nowMs = next.atMs
      next.wake()
      await settle()
    }
    this.#nowMs = endMs
  }

  /** The request that held all this has ended, and its timers with it. */
  killSleepers(): void {
    this.#sleepers = []
  }
}

/** All promises that can go on have gone on. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Notes every report, and answers as it is told: no plan unless said. */
export class FakePort implements CoordinatorPort {
  readonly reports: Feedback[] = []
  answer: (feedback: Feedback) => Promise<ReportAnswer> = async () => ({ plan: null, share: 0 })

  report(feedback: Feedback): Promise<ReportAnswer> {
    this.reports.push(feedback)
    return this.answer(feedback)
  }

  get last(): Feedback {
    return this.reports.at(-1)!
  }
}

export const refusing = (): Promise<ReportAnswer> => Promise.reject(new Error('not reachable'))
export const silent = (): Promise<ReportAnswer> => new Promise(() => {})

/** Work lives on by itself, as in Node. */
export const background: Background = { waitUntil: () => {} }
