import { Dither } from '../admission/dither.ts'
import type { Lease } from '../protocol/coordinator-port.ts'
import type { Feedback } from '../protocol/feedback.ts'
import { isAllIn, type Plan } from '../protocol/plan.ts'

/** A lease ends this long after the next report is due. Reports come every second, and less often in calm. */
const LEASE_SPARE_MS = 1000
const REPORT_MS = 1000
/** A lease that was used shows in a report within this time of its end. */
const RETURN_SPARE_MS = 1500
/** From this much load per second an isolate enforces its share with a bucket of its own. */
const BUCKET_FROM = 5
const NEARLY_ALL = 0.95
/** In calm an isolate gets so many times what it draws in a second, and one admission at the least. */
const CALM_FACTOR = 2
/** Time constant of the load that classes bring which the plan lets in as a whole. */
const UNHELD_S = 3
/**
 * The budget is so many seconds of the rate deep, and has space for the random bursts of calm. Where reports come less
 * often, more is lent at a time.
 */
const DEPTH_S = 1
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
/** An isolate that comes back after a silence asks for this time at the most. */
const LONGEST_TURN_S = 30

/** An isolate that reports. */
interface Borrower {
  readonly sender: string
  /** Its part of the data centre's draws. */
  readonly part: number
  /** Its draws per second; null: a newborn. */
  readonly draws: number | null
  /** Isolates must not ask for more: the relay has as many reports as it can take. @default false */
  readonly isBusy?: boolean
}

interface Lent {
  readonly load: number
  readonly atMs: number
}

/**
 * What the isolates of one data centre may admit: a token bucket at the data centre's share of the limit. Isolates
 * that are too small to enforce a share get leases from it. All admissions that are reported are taken from it, so
 * it also shows a surge: it runs empty when more is admitted than the limit allows, which is a cumulative sum test.
 */
export class AdmissionBudget {
  readonly #lent = new Map<string, Lent>()
  readonly #answeredAtMs = new Map<string, number>()
  /** Rounds leases to whole admissions, without loss over all isolates. */
  readonly #rounding = new Dither(0.5)
  #plan: Plan | null = null
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
  /** Does the plan let all classes in? */
  #isAllIn = true
  #isSurge = false

  /** A new plan, or a new share of the data centre. */
  follow(plan: Plan, share: number, nowMs: number): void {
    this.#refill(nowMs)
    const isFirst = this.#plan === null || this.#plan.drawLimit === null
    this.#plan = plan
    this.#share = share
    this.#isAllIn = isAllIn(plan)
    this.#reportS = (plan.calmMs ?? REPORT_MS) / 1000
    this.#cost = highestCost(plan) || 1
    this.#rate = (plan.drawLimit ?? 0) * share
    this.#depth =
      (this.#reportS > 1 ? DEPTH_SELDOM_S : DEPTH_S) * this.#rate +
      CHANCE_SIGMA * Math.sqrt(this.#rate) +
      LEAST_DEPTH * this.#cost
    this.#tokens = isFirst ? this.#depth : Math.min(this.#tokens, this.#depth)
  }

  /** A report shows what its sender has admitted with its lease or without one. */
  settle(feedback: Feedback, nowMs: number): void {
    if (this.#plan === null) return
    this.#refill(nowMs)
    const lent = this.#lent.get(feedback.sender)?.load ?? 0
    this.#lent.delete(feedback.sender)
    const { spent, unheld } = drawnLoad(feedback, this.#plan)
    this.#unheldLoad += unheld
    this.#tokens = Math.max(
      -DEBT_S * this.#rate,
      Math.min(this.#depth, this.#tokens + lent - spent),
    )
  }

  /** A lease for an isolate; null: it needs none. */
  lend(borrower: Borrower, nowMs: number): Lease | null {
    const plan = this.#plan
    if (plan === null || plan.drawLimit === null) return null
    const { sender, part, draws, isBusy = false } = borrower
    const share = this.#share * part
    const isLarge = plan.drawLimit * share >= BUCKET_FROM || share >= NEARLY_ALL
    if (isLarge && draws !== null) return null
    this.#refill(nowMs)
    this.#returnUnused(nowMs)
    const known = this.#holds()
    // Who has used the lease would ask again and again.
    const holds = isBusy && known === 'asks' ? 'all' : known
    const turnS = this.#turnS(sender, nowMs)
    this.#answeredAtMs.set(sender, nowMs)
    if (holds === 'asks')
      return { load: this.#lendInCalm(sender, draws, nowMs), forMs: this.#leaseMs, holds }
    const free = holds === 'all' ? this.#tokens : this.#tokens - this.#unheldRate
    const load = Math.min(
      this.#cost * this.#whole((part * turnS * free) / this.#cost),
      Math.max(0, this.#tokens),
    )
    this.#charge(sender, load, nowMs)
    return { load, forMs: this.#leaseMs, holds }
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
    this.#lent.set(sender, { load: load + (this.#lent.get(sender)?.load ?? 0), atMs: nowMs })
  }

  #holds(): Lease['holds'] {
    const isSurge = this.#watchSurge()
    // If some classes are held, only a debt shows that the others are too many.
    if (this.#isAllIn || this.#isByDraws) return isSurge ? 'all' : 'asks'
    return this.#tokens < -this.#mostDebt / 2 ? 'all' : 'drawn'
  }

  /** Do draws decide, so that the budget only stops a surge? */
  get #isByDraws(): boolean {
    return this.#plan?.draws !== undefined
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

  /** Time since the isolate's last answer: who comes back seldom gets what is due for the time between. */
  #turnS(sender: string, nowMs: number): number {
    const sinceMs = nowMs - (this.#answeredAtMs.get(sender) ?? nowMs - 1000)
    return Math.min(LONGEST_TURN_S, Math.max(0.1, sinceMs / 1000))
  }

  #whole(admissions: number): number {
    if (!(admissions > 0)) return 0
    const whole = Math.floor(admissions)
    return whole + (this.#rounding.draw(admissions - whole) ? 1 : 0)
  }

  #returnUnused(nowMs: number): void {
    for (const [sender, { load, atMs }] of this.#lent) {
      if (nowMs - atMs < this.#leaseMs + RETURN_SPARE_MS) break
      this.#lent.delete(sender)
      this.#tokens = Math.min(this.#depth, this.#tokens + load)
    }
    for (const [sender, atMs] of this.#answeredAtMs)
      if (nowMs - atMs > LONGEST_TURN_S * 1000) this.#answeredAtMs.delete(sender)
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

/** The highest cost among the classes of a plan. */
function highestCost(plan: Plan): number {
  let highest = 0
  for (const { classes } of Object.values(plan.routes))
    for (const { cost } of Object.values(classes)) highest = Math.max(highest, cost)
  return highest
}

/** Load that a report shows as admitted beyond the guarantees; `unheld`: of classes that the plan lets in as a whole. */
function drawnLoad({ routes }: Feedback, plan: Plan): { spent: number; unheld: number } {
  let spent = 0
  let unheld = 0
  for (const [route, { classes }] of Object.entries(routes))
    for (const [name, { admitted, guaranteed, byTicket }] of Object.entries(classes)) {
      const { cost = 1, probability = 1, own, queue } = plan.routes[route]?.classes[name] ?? {}
      // A class that is limited by itself has no part in this budget.
      if (own !== undefined) continue
      // The limit on draws is what tickets leave.
      const beside = queue === undefined ? 0 : byTicket
      const load = Math.max(0, admitted - guaranteed - beside) * cost
      spent += load
      if (probability >= 1) unheld += load
    }
  return { spent, unheld }
}
