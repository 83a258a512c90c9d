import { RelayCore } from '../../src/coordinator/relay-core.ts'
import type { ReportAnswer } from '../../src/protocol/coordinator-port.ts'
import type { Feedback } from '../../src/protocol/feedback.ts'
import { BusyTime } from './busy-time.ts'
import type { Way } from './network.ts'
import type { Timers } from './timers.ts'

/** Who takes the reports of a relay. */
interface Upstream {
  report(feedback: Feedback): ReportAnswer | Promise<ReportAnswer>
}

/** `RelayCore` in simulated time. */
export class Relay {
  readonly #core: RelayCore
  readonly #hasRegion: boolean

  readonly #busy: BusyTime

  constructor(
    sender: string,
    coordinator: Upstream,
    way: Way,
    timers: Timers,
    region?: Upstream,
    busy = new BusyTime(() => timers.nowMs),
  ) {
    this.#busy = busy
    this.#hasRegion = region !== undefined
    this.#core = new RelayCore({
      sender,
      now: () => timers.nowMs,
      sleep: (ms) => busy.during(timers.sleep(ms)),
      send: (feedback, via) =>
        busy.during(
          new Promise((resolve, reject) => {
            // A call between Durable Objects fails when its connection breaks.
            const fail = () => reject(new Error('Connection lost'))
            way.carry(async () => {
              try {
                const answer = await (via === null ? coordinator : region!).report(feedback)
                way.carry(() => resolve(answer), fail)
              } catch {
                way.carry(fail)
              }
            }, fail)
          }),
        ),
      warn() {},
    })
  }

  report(feedback: Feedback): Promise<ReportAnswer> {
    const region = this.#hasRegion ? 'its region' : undefined
    return this.#busy.during(this.#core.handle(feedback, region))
  }
}
