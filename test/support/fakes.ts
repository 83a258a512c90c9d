import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import type { Background, Runtime } from '../../src/lib/runtime.ts'
import type { CoordinatorPort, ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'

/** Simulated time starts here: a whole number of seconds. */
export const START_MS = 1_800_000_000_000

/** A clock that moves only when told to, and random draws that are always 0.5. */
export class FakeRuntime implements Runtime {
  #nowMs: number
  #ids = 0
  /** The next one to wake is last. */
  #sleepers: { readonly atMs: number; readonly wake: () => void }[] = []

  constructor(nowMs = START_MS) {
    this.#nowMs = nowMs
  }

  now = (): number => this.#nowMs

  coin = (): number => 0.5

  /** Ids in order, of the length of real ones. */
  id = (): string => `id-${String(this.#ids++).padStart(13, '0')}`

  sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      const atMs = this.#nowMs + ms
      let place = this.#sleepers.length
      while (place > 0 && this.#sleepers[place - 1]!.atMs <= atMs) place--
      this.#sleepers.splice(place, 0, { atMs, wake })
    })

  advance(ms: number): Promise<void> {
    return this.advanceTo(this.#nowMs + ms)
  }

  /** Ends the sleeps that are due, each at its own time, and lets promises go on after each. */
  async advanceTo(endMs: number): Promise<void> {
    await settle()
    for (;;) {
      const next = this.#sleepers.at(-1)
      if (!next || next.atMs > endMs) break
      this.#sleepers.pop()
      this.#nowMs = next.atMs
      next.wake()
      await settle()
    }
    this.#nowMs = endMs
  }

  /** Sleeps that have not ended. */
  get sleeping(): number {
    return this.#sleepers.length
  }

  /** The runtime has ended the request that these timers belonged to. */
  killSleepers(): void {
    this.#sleepers = []
  }
}

/** Resolves when no promise is left that can go on. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Records every report; by default it answers without a plan. */
export class FakePort implements CoordinatorPort {
  /** Without the copies of those that are not answered for long. */
  readonly reports: Feedback[] = []
  copies = 0
  answer: (feedback: Feedback) => Promise<ReportAnswer> = async () => ({ plan: null, share: 0 })

  report(feedback: Feedback): Promise<ReportAnswer> {
    if (this.reports.includes(feedback)) this.copies++
    else this.reports.push(feedback)
    return this.answer(feedback)
  }

  get last(): Feedback {
    return this.reports.at(-1)!
  }
}

export const refusing = (): Promise<ReportAnswer> => Promise.reject(new Error('not reachable'))
export const silent = (): Promise<ReportAnswer> => new Promise(() => {})

/** Background work continues by itself, as in Node. */
export const background: Background = { waitUntil: () => {} }

const ALARM_MS = 1000

/** A coordinator without a relay, with an alarm every second of the runtime's clock. */
export function coordinatorPort(runtime: Runtime, core = new CoordinatorCore()): CoordinatorPort {
  const alarm = async (): Promise<void> => {
    for (;;) {
      await runtime.sleep(ALARM_MS)
      core.tick(runtime.now())
    }
  }
  void alarm()
  return { report: async (feedback) => core.handle(feedback, runtime.now()) }
}
