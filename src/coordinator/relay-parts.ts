import {
  type LimitPart,
  type OwnParts,
  partsOf,
  type ReportAnswer,
} from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'
import type { Plan } from '../protocol/plan.ts'
import { limitOfClass, ownKeysOf, SHARED } from '../protocol/plan-limits.ts'
import { AsksInASecond } from './asks-in-a-second.ts'
import { OriginBudgets } from './origin-budgets.ts'
import type { ReportAggregator } from './report-aggregator.ts'

/** A draw waits so long for an admission, and looks for it so often. More than so many draws do not wait. */
const MOST_WAIT_MS = 60
const LOOK_EVERY_MS = 5
const MOST_WAITING = 20

interface Clock {
  now(): number
  sleep(ms: number): Promise<void>
}

/** A sender's parts of all limits. */
type Parts = LimitPart & { readonly own?: OwnParts }

/** What the senders of one relay may admit of its parts of the limits. */
export class RelayParts {
  readonly #aggregator: ReportAggregator
  readonly #clock: Clock
  readonly #budgets = new OriginBudgets()
  readonly #asks = new AsksInASecond()
  #waiting = 0
  #plan: Plan | null = null
  /** The relay's own parts. */
  #own: Pick<ReportAnswer, 'share' | 'own'> = { share: 0 }
  /** The parts of the relays of a region, by the name of the limit, as they were when it reported last. */
  #relays: ReturnType<ReportAggregator['relayParts']> = new Map()

  constructor(aggregator: ReportAggregator, clock: Clock) {
    this.#aggregator = aggregator
    this.#clock = clock
  }

  /** A new plan, or new parts of the relay. */
  follow(plan: Plan, own: Pick<ReportAnswer, 'share' | 'own'>): void {
    this.#plan = plan
    this.#own = own
    this.#budgets.follow(plan, (limit) => this.#shareOf(limit), this.#clock.now())
    this.#aggregator.draws.watch(ownKeysOf(plan))
  }

  setRelays(parts: ReturnType<ReportAggregator['relayParts']>): void {
    this.#relays = parts
  }

  /** A visitor waits for the answer to a report. */
  asked(nowMs: number): void {
    this.#asks.add(nowMs)
  }

  /** A report shows what its sender has admitted. */
  settle(feedback: Feedback, nowMs: number): void {
    this.#budgets.settle(feedback, nowMs)
  }

  /**
   * A relay of the region divides its share by itself, and needs no lease. All relays get their parts as of one moment.
   * In a crowd each would otherwise be compared with others that have not reported the crowd yet, and all would get too
   * much.
   */
  ofRelay(sender: string): Parts {
    const nowMs = this.#clock.now()
    return partsOf(this.#aggregator.draws.limits, (limit) => {
      const part = this.#relays.get(limit)?.get(sender)
      const now = part ?? this.#aggregator.draws.of(limit).shareOf(sender, nowMs)
      return { share: this.#shareOf(limit) * now }
    })
  }

  /** The isolate's parts, and what it may admit by itself. */
  ofIsolate(sender: string): Parts {
    return partsOf(this.#aggregator.draws.limits, (limit) => this.#ofLimit(sender, limit, false))
  }

  /** The same for a draw that asks. Where draws ask for slots and none is free, it waits a moment. */
  async inTurn({ sender, wantsFor }: Feedback): Promise<Parts> {
    const wanted =
      this.#plan === null || wantsFor === undefined ? SHARED : limitOfClass(this.#plan, wantsFor)
    let part = this.#ofLimit(sender, wanted, true)
    const isAtOnce = !isInVain(part)
    if (!isAtOnce && this.#waiting < MOST_WAITING) {
      this.#waiting++
      for (let ms = 0; ms < MOST_WAIT_MS && isInVain(part); ms += LOOK_EVERY_MS) {
        await this.#clock.sleep(LOOK_EVERY_MS)
        part = this.#ofLimit(sender, wanted, true)
      }
      this.#waiting--
      if (isInVain(part)) this.#budgets.asked(wanted, false)
    }
    if (isAtOnce) this.#budgets.asked(wanted, true)
    return partsOf(this.#aggregator.draws.limits, (limit) =>
      limit === wanted ? part : this.#ofLimit(sender, limit, false),
    )
  }

  #ofLimit(sender: string, limit: string, wants: boolean): LimitPart {
    const nowMs = this.#clock.now()
    const rates = this.#aggregator.draws.of(limit)
    const part = rates.shareOf(sender, nowMs)
    const [draws, allDraws] = [rates.of(sender), rates.all(nowMs)]
    const asks = this.#asks.countAt(nowMs)
    const borrower = { sender, part, draws, allDraws, wants, asks }
    const share = this.#shareOf(limit)
    return {
      ...{ share: share * part, fairPart: share * rates.fairPart(nowMs) },
      ...this.#budgets.lend(limit, borrower, nowMs),
    }
  }

  /** The relay's part of the draws under this limit. */
  #shareOf(limit: string): number {
    const { share, own } = this.#own
    return own?.[limit]?.share ?? share
  }
}

/** Did a draw ask for a slot and get none? One may be free in a moment. */
const isInVain = ({ lease }: LimitPart): boolean =>
  lease !== undefined && lease.load === 0 && lease.reportsEnds === true
