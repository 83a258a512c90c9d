import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import type { CoordinatorPort } from '../../src/protocol/coordinator-port.ts'

/** Real time at the start of simulated time: a multiple of a second and of all class delays. */
export const START_MS = 1_800_000_000_000

/** Simulated time for code that waits with promises. */
export class Clock {
  nowMs = 0
  #sleepers: { readonly atMs: number; readonly wake: () => void }[] = []

  sleep(ms: number): Promise<void> {
    const atMs = this.nowMs + ms
    return new Promise((wake) => {
      let place = this.#sleepers.length
      while (place > 0 && this.#sleepers[place - 1]!.atMs <= atMs) place--
      this.#sleepers.splice(place, 0, { atMs, wake })
    })
  }

  /** Wakes all sleepers up to `untilMs`, each at its time. Everything that follows happens before the next one. */
  async runTo(untilMs: number, before: (atMs: number) => void): Promise<void> {
    for (
      let next = this.#sleepers.at(-1);
      next && next.atMs <= untilMs;
      next = this.#sleepers.at(-1)
    ) {
      this.nowMs = next.atMs
      before(next.atMs)
      while (this.#sleepers.at(-1)?.atMs === next.atMs) this.#sleepers.pop()!.wake()
      await new Promise((resolve) => setImmediate(resolve))
    }
    this.nowMs = untilMs
  }
}

/** A coordinator without a relay, with an alarm every second. */
export function coordinator(clock: Clock, core = new CoordinatorCore()): CoordinatorPort {
  const nowMs = (): number => START_MS + clock.nowMs
  const alarm = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(1000)
      core.tick(nowMs())
    }
  }
  void alarm()
  return {
    report: async (feedback) => core.handle(feedback, nowMs()),
  }
}
