import { isOverloaded } from './back-off.ts'
import type { Runtime } from './runtime.ts'

/** A copy goes out after so many times as long as answers usually take, and no sooner than this. */
const TIMES_USUAL = 3
const LEAST_WAIT_MS = 20
const MOST_COPIES = 2
/** The usual time is the median: each answer moves it by this part, up or down. */
const STEP = 0.1
const SHORTEST_MS = 5
const LONGEST_MS = 1000

type Clock = Pick<Runtime, 'now' | 'sleep'>

/**
 * Sends a message again that has failed, or whose answer takes far longer than usual; the first answer counts: hedged requests
 * (Dean and Barroso 2013). So a message that is lost or late costs little time. Where all answers take longer, copies wait
 * longer, so a busy receiver gets few. The receiver must answer a copy as it has answered the message.
 */
export class Hedge {
  readonly #clock: Clock
  #usualMs: number
  /** Was a message with all its copies not answered in time? Then others get none, until somebody answers. */
  #isGone = false

  /** `usualMs`: how long answers take, as long as none has come. */
  constructor(clock: Clock, usualMs: number) {
    this.#clock = clock
    this.#usualMs = usualMs
  }

  async send<Answer>(message: () => Promise<Answer>): Promise<Answer> {
    const sentAtMs = this.#clock.now()
    // What throws at once has failed like any other.
    const send = async (): Promise<Answer> => message()
    const first = send()
    const sent = [first]
    let answer = first
    while (!this.#isGone && (await this.#isLate(answer))) {
      if (sent.length > MOST_COPIES) this.#isGone = true
      else {
        sent.push(send())
        answer = Promise.any(sent)
      }
    }
    const got = await answer.catch(() => first)
    this.#learn(this.#clock.now() - sentAtMs)
    return got
  }

  /** Waits until there is an answer, or all that was sent has failed, or it takes too long. An overloaded receiver gets no copies. */
  #isLate(answer: Promise<unknown>): Promise<boolean> {
    const waitMs = Math.max(LEAST_WAIT_MS, TIMES_USUAL * this.#usualMs)
    return Promise.race([
      this.#clock.sleep(waitMs).then(() => true),
      answer.then(
        () => false,
        (failure) => !isOverloaded(failure),
      ),
    ])
  }

  #learn(tookMs: number): void {
    this.#isGone = false
    const moved = this.#usualMs * (tookMs > this.#usualMs ? 1 + STEP : 1 - STEP)
    this.#usualMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, moved))
  }
}
