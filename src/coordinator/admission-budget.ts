import { Dither } from '../admission/dither.ts'
import type { Lease, LimitPart } from '../protocol/coordinator-port.ts'
import type { LimitPlan } from '../protocol/plan-limits.ts'
import { type Borrower, LentLoads } from './lent-loads.ts'
import type { LimitCounts } from './limit-counts.ts'
import { SlotBudget } from './slot-budget.ts'

/** A lease ends this long after the next report is due. Reports come at least every second, and less often in calm. */
const LEASE_SPARE_MS = 1000
const REPORT_MS = 1000
/** From this much load per second an isolate enforces its share with a bucket of its own. */
const BUCKET_FROM = 5
const NEARLY_ALL = 0.95
/** From this many requests in flight an isolate enforces its share of the cap by itself. */
const SLOTS_FROM = 3
/**
 * Fewer admissions per second of a data centre are not lent in advance: each draw asks, so many for each admission. Up to
 * the second bound the same holds where an isolate admits less than this many per second: its next visitors may all be of
 * classes that are kept out, and what it was lent would be of no use to the others meanwhile.
 */
const ASKED_BELOW = 20
const ASKED_BELOW_IF_RARE = 120
const RARE = 0.5
const ASK_FACTOR = 2
const MORE_ASKS = 10
const USUAL_LEVEL = 0.4
/** Draws per second that the plan leaves, where slots are asked for: fewer are as good as none. */
const LEAST_DRAWN = 0.01
/** An isolate that could have this many requests in flight uses its part of the cap without asking. */
const BUSY_FROM = 1
/** In calm an isolate gets so many times what it draws in a second, and one admission at the least. */
const CALM_FACTOR = 2
/**
 * With more questions in a second than this, isolates are kept from asking, because an object should get 200 messages at the
 * most. In calm each lease would be asked for again and again.
 */
const MOST_ASKS_IN_CALM = 40
const MOST_ASKS = 120
/** A budget that stays nearly full shows that leases are not used: then each is larger. */
const UNUSED_FROM = 0.8
const UNUSED_FACTOR = 10
/** Time constant of the load that classes bring which the plan lets in as a whole. */
const UNHELD_S = 3
/**
 * The budget is so many seconds of the rate deep, less in calm, and has space for random bursts. Where reports come less
 * often, more is lent at a time.
 */
const DEPTH_S = 1
const DEPTH_CALM_S = 0.5
const DEPTH_SELDOM_S = 2
const CHANCE_SIGMA = 2
const LEAST_DEPTH = 3
/** What was admitted beyond the rate is paid back: so many seconds of it at the most, or a few admissions. */
const DEBT_S = 1
const LEAST_DEBT = 4
/**
 * While the plan lets all classes in, or draws decide, the budget only shows a surge that the plan does not know of yet.
 * Then it fills faster: at the limit itself random arrivals just below the limit would run it empty.
 */
const CALM_RATE = 1.5
/** A surge begins when the budget is below this part of its depth, and ends above the other. */
const SURGE_BELOW = 0.25
const CALM_ABOVE = 0.5

/** What an isolate may do by itself. Empty: it enforces its share of limit and cap. */
export type Lent = Pick<LimitPart, 'lease' | 'slots'>

/**
 * What the isolates of one data centre may admit of one limit: a token bucket at the data centre's share of it. Isolates
 * that are too small to enforce a share get leases from it. All admissions that are reported are taken from it, so
 * it also shows a surge: it runs empty when more is admitted than the limit allows, which is a cumulative sum test.
 */
export class AdmissionBudget {
  readonly #lent = new LentLoads()
  readonly #slots = new SlotBudget()
  /** Rounds leases to whole admissions, without loss over all isolates. */
  readonly #rounding = new Dither(0.5)
  #limit: LimitPlan | null = null
  #share = 0
  #rate = 0
  /** The time between two reports of an isolate. */
  #reportS = 1
  /** The highest cost among the classes. */
  #cost = 1
  #depth = 0
  #tokens = 0
  #filledUntilMs = 0
  #unheldLoad = 0
  #isSurge = false

  /** A new plan, or a new share of the data centre. `calmMs`: see `Plan`. */
  follow(limit: LimitPlan, share: number, calmMs: number | undefined, nowMs: number): void {
    this.#refill(nowMs)
    const isFirst = this.#limit === null || this.#limit.drawLimit === null
    this.#limit = limit
    this.#share = share
    this.#reportS = (calmMs ?? REPORT_MS) / 1000
    this.#cost = limit.highestCost || 1
    this.#rate = (limit.drawLimit ?? 0) * share
    this.#slots.follow(limit.inFlightCap === null ? null : limit.inFlightCap * share, nowMs)
    this.#depth =
      this.#depthS * this.#rate + CHANCE_SIGMA * Math.sqrt(this.#rate) + LEAST_DEPTH * this.#cost
    this.#tokens = isFirst ? this.#depth : Math.min(this.#tokens, this.#depth)
  }

  /** Does the plan let all classes in? */
  get #isAllIn(): boolean {
    return this.#limit?.isAllIn ?? true
  }

  get #depthS(): number {
    if (this.#reportS > 1) return DEPTH_SELDOM_S
    return this.#isAllIn ? DEPTH_CALM_S : DEPTH_S
  }

  /** A report shows what its sender has admitted with its lease or without one. */
  settle(sender: string, counts: LimitCounts, nowMs: number): void {
    if (this.#limit === null) return
    this.#refill(nowMs)
    this.#slots.settle(sender, counts, nowMs)
    const lent = this.#lent.settle(sender)
    const { spent, unheld } = counts
    this.#unheldLoad += unheld
    this.#tokens = Math.max(
      -DEBT_S * this.#rate,
      Math.min(this.#depth, this.#tokens + lent - spent),
    )
  }

  lend(borrower: Borrower, nowMs: number): Lent {
    const limit = this.#limit
    if (limit === null) return {}
    const { part, draws } = borrower
    const allDraws = borrower.allDraws ?? (draws ?? 0) / part
    const share = this.#share * part
    const isAlone = share >= NEARLY_ALL && draws !== null
    const isLarge = (limit.drawLimit ?? 0) * share >= BUCKET_FROM && draws !== null
    const leases = limit.drawLimit !== null && !isLarge && !isAlone
    const asksForSlots =
      limit.inFlightCap !== null && limit.inFlightCap * share < SLOTS_FROM && !isAlone
    if (!leases && !asksForSlots) return {}
    this.#refill(nowMs)
    this.#returnUnused(nowMs)
    const isTight = asksForSlots && this.#slots.isTight(allDraws, nowMs)
    const isHeld = leases && this.#holds() !== 'asks'
    const { stayMs } = this.#slots
    const usesSlots = ((draws ?? 0) * stayMs) / 1000 >= BUSY_FROM
    // Who is alone in its data centre needs nobody to hold the data centre's part of the cap.
    const asksForSlot = isTight && !usesSlots && part < NEARLY_ALL && this.#slots.isAsked
    // Where the policy itself draws, a draw that asks would be made twice.
    const isRare = this.#rate * part < RARE && this.#rate < ASKED_BELOW_IF_RARE
    const isSmall = isHeld && (this.#rate < ASKED_BELOW || isRare) && limit.draws === undefined
    if (asksForSlot || (isSmall && !isTight))
      return this.#lendOne(borrower, allDraws, isTight, nowMs)
    const slots = isTight ? { mean: limit.inFlightCap! * share, stayMs } : null
    return {
      ...(leases ? { lease: this.#lendAhead(borrower, nowMs) } : {}),
      ...(asksForSlots ? { slots } : {}),
    }
  }

  /** Too little to be lent in advance: each draw asks. */
  #lendOne(
    { sender, wants = false }: Borrower,
    allDraws: number,
    isTight: boolean,
    nowMs: number,
  ): Lent {
    const isLimited = this.#limit?.drawLimit != null
    const hasTokens = !isLimited || this.#tokens >= this.#cost
    // What the plan's probabilities leave of the draws.
    const drawn = isLimited ? Math.min(this.#rate, allDraws) : allDraws
    const isLent = wants && hasTokens && (!isTight || this.#slots.hasRoom(nowMs))
    if (isLent) {
      if (isLimited) this.#charge(sender, this.#cost, nowMs)
      if (isTight) this.#slots.lend(sender, nowMs)
    }
    return {
      lease: {
        load: isLent ? this.#cost : 0,
        forMs: this.#leaseMs,
        holds: isTight ? 'all' : this.#holds(),
        asks: isTight ? this.#slots.asks / Math.max(drawn, LEAST_DRAWN) : this.#askFactor,
        ...(isTight ? { reportsEnds: true } : {}),
      },
      ...(isTight ? { slots: null } : {}),
    }
  }

  /** Where answers are lost or late, admissions stay unused: then more draws ask. */
  get #askFactor(): number {
    return ASK_FACTOR + MORE_ASKS * Math.max(0, this.#tokens / this.#depth - USUAL_LEVEL)
  }

  /** A draw has asked and found an admission at once, or has waited in vain. */
  asked(isAtOnce: boolean): void {
    this.#slots.asked(isAtOnce)
  }

  /** Admissions for the time until the next report. */
  #lendAhead(borrower: Borrower, nowMs: number): Lease {
    const { sender, part, draws, wants = false, asks = 0 } = borrower
    const holds = this.#holds()
    const turnS = this.#lent.nextTurnS(sender, nowMs)
    if (holds === 'asks') {
      const load = this.#lendInCalm(sender, draws, nowMs)
      // Who has used the lease would ask again and again.
      return { load, forMs: this.#leaseMs, holds: asks > MOST_ASKS_IN_CALM ? 'all' : 'asks' }
    }
    const isDrawn = holds === 'drawn' && asks <= MOST_ASKS
    const free = isDrawn ? this.#tokens - this.#unheldRate : this.#tokens
    // What costs more than is left is admitted on credit, so nobody needs a lease for the most costly class.
    const one = Math.min(1, this.#cost)
    const level = this.#tokens / this.#depth
    const unused = isDrawn ? UNUSED_FACTOR * Math.max(0, level - UNUSED_FROM) : 0
    // Of a class that the plan lets in as a whole, who asks comes before who reports.
    const isAsked = isDrawn && wants && this.#unheldLoad > 0
    const least = isAsked && this.#tokens >= one ? one : 0
    const due = one * this.#whole((part * turnS * free * (1 + unused)) / one)
    const load = Math.min(Math.max(least, due), Math.max(0, this.#tokens))
    this.#charge(sender, load, nowMs)
    return { load, forMs: this.#leaseMs, holds: isDrawn ? 'drawn' : 'all' }
  }

  /**
   * Only what an isolate will probably use is taken from the budget now, and the rest when it is reported. Otherwise
   * leases that nobody uses would run the budget empty.
   */
  #lendInCalm(sender: string, draws: number | null, nowMs: number): number {
    const drawn = (draws ?? 0) * this.#reportS
    const isSeldom = this.#reportS > 1
    const expected = isSeldom ? drawn : CALM_FACTOR * drawn
    const most = isSeldom ? drawn + CHANCE_SIGMA * Math.sqrt(drawn) : expected
    const load = Math.min(this.#cost * Math.max(1, Math.ceil(most)), Math.max(0, this.#tokens))
    this.#charge(sender, draws === null ? load : Math.min(load, this.#cost * expected), nowMs)
    return load
  }

  get #leaseMs(): number {
    return 1000 * this.#reportS + LEASE_SPARE_MS
  }

  #charge(sender: string, load: number, nowMs: number): void {
    if (!(load > 0)) return
    this.#tokens -= load
    this.#lent.add(sender, load, nowMs)
  }

  #holds(): Lease['holds'] {
    const isSurge = this.#watchSurge()
    // If some classes are held, only a debt shows that the others are too many.
    if (this.#isAllIn || this.#isByDraws) return isSurge ? 'all' : 'asks'
    return this.#tokens < -this.#mostDebt / 2 ? 'all' : 'drawn'
  }

  /** Do draws decide, so that the budget only stops a surge? */
  get #isByDraws(): boolean {
    return this.#limit?.draws !== undefined
  }

  #watchSurge(): boolean {
    const level = this.#tokens / this.#depth
    if (level < SURGE_BELOW) this.#isSurge = true
    else if (level > CALM_ABOVE) this.#isSurge = false
    return this.#isSurge
  }

  /** Load per second of the classes that the plan lets in as a whole: leases leave it for them. */
  get #unheldRate(): number {
    return this.#unheldLoad / UNHELD_S
  }

  get #mostDebt(): number {
    return Math.max(DEBT_S * this.#rate, LEAST_DEBT * this.#cost)
  }

  #whole(admissions: number): number {
    if (!(admissions > 0)) return 0
    const whole = Math.floor(admissions)
    return whole + (this.#rounding.draw(admissions - whole) ? 1 : 0)
  }

  #returnUnused(nowMs: number): void {
    const unused = this.#lent.takeOverdue(this.#leaseMs, nowMs)
    if (unused > 0) this.#tokens = Math.min(this.#depth, this.#tokens + unused)
  }

  #refill(nowMs: number): void {
    const elapsedMs = nowMs - this.#filledUntilMs
    this.#filledUntilMs = nowMs
    if (!(elapsedMs > 0)) return
    // The time constant: what came in the last seconds, forgotten step by step.
    const kept = Math.exp(-elapsedMs / (UNHELD_S * 1000))
    this.#unheldLoad *= kept
    const isCalm = this.#isByDraws ? !this.#isSurge : this.#isAllIn
    const rate = isCalm ? CALM_RATE * this.#rate : this.#rate
    this.#tokens = Math.min(this.#depth, this.#tokens + (rate * elapsedMs) / 1000)
  }
}
