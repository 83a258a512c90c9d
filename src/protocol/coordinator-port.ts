import type { Feedback } from './feedback.ts'
import type { Plan } from './plan.ts'
import { SHARED } from './plan-limits.ts'
import { boundedInterval } from './report-interval.ts'

/**
 * How the edge reaches its coordinator: it sends feedback and gets the newest plan and its share. There is an
 * implementation with Durable Objects, one in process and one over HTTP (src/transport).
 */
export interface CoordinatorPort {
  report(feedback: Feedback): Promise<ReportAnswer>
}

/** What a sender may admit of one limit. */
export interface LimitPart {
  /** The part of the draws under this limit that the sender makes, from 0 to 1. */
  readonly share: number
  /** The share of an isolate of average activity in this data centre, for isolates that start there. Absent: not known. */
  readonly fairPart?: number
  /** Absent: this isolate enforces its share by itself. */
  readonly lease?: Lease
  /**
   * This isolate's part of the cap on requests in flight, if the cap is too small to divide by shares; null: the relay
   * holds it, or it is not needed now. Absent: its share of the cap.
   */
  readonly slots?: Slots | null
}

/** With the sender's part of the limit that classes share. */
export interface ReportAnswer extends LimitPart {
  /** null: the coordinator does not know the setup. The next report must carry it. */
  readonly plan: Plan | null
  /** Its parts of the limits of classes that are limited by themselves, by class key. Absent: as of the shared limit. */
  readonly own?: OwnParts
  /** Many data centres report: a relay reports to the relay of its region. Absent: it reports to the coordinator. */
  readonly viaRegion?: true
  /** The time between two reports of this sender, from 250 to 1000. Absent: 1000, and in calm as the plan says. */
  readonly everyMs?: number
}

/** The parts of all limits with these names, the shared one first, as an answer has them. */
export function partsOf(
  limits: readonly string[],
  partOf: (limit: string) => LimitPart,
): LimitPart & { readonly own?: OwnParts } {
  const own = limits.filter((limit) => limit !== SHARED)
  const shared = partOf(SHARED)
  if (own.length === 0) return shared
  return { ...shared, own: Object.fromEntries(own.map((key) => [key, partOf(key)])) }
}

export type OwnParts = Readonly<Record<string, LimitPart>>

/** What is no answer at all counts as none: the report has failed. A plan of another version is one. */
export function checkedAnswer(answer: ReportAnswer): ReportAnswer {
  const { plan, share } = (answer ?? {}) as Partial<ReportAnswer>
  const isPlan = plan === null || (typeof plan === 'object' && typeof plan.version === 'number')
  if (isPlan && typeof share === 'number' && share >= 0 && share <= 1) return withInterval(answer)
  throw new Error('The coordinator gave no answer that can be read')
}

/** An interval that is out of bounds would overload the receiver, or let the plan expire. */
function withInterval({ everyMs, ...answer }: ReportAnswer): ReportAnswer {
  if (typeof everyMs !== 'number' || Number.isNaN(everyMs)) return answer
  return { ...answer, everyMs: boundedInterval(everyMs) }
}

/**
 * Admissions that a relay lends to an isolate whose share of the limit is too small to be enforced alone. They are
 * taken from the budget of the data centre. What is not used is returned with the next report, or by itself after a time.
 */
export interface Lease {
  /** In the unit of the plan's `drawLimit`. */
  readonly load: number
  readonly forMs: number
  /**
   * `asks`: the limit is not needed now. An isolate that has used its lease asks for more before it refuses anybody.
   * `drawn`: it holds classes that the plan does not let in as a whole. Who comes after it is used is refused.
   * `all`: a surge that the plan does not know of yet. It holds all classes.
   */
  readonly holds: 'asks' | 'drawn' | 'all'
  /**
   * Too little to be lent in advance: each draw asks the relay. To keep the number of questions small, a draw asks with
   * this part of its class's probability, and is refused otherwise. Absent: nobody asks while the limit is needed.
   */
  readonly asks?: number
  /** The lease also holds the cap on requests in flight, so the isolate reports as soon as a request has ended. */
  readonly reportsEnds?: true
}

/** A part of the cap on requests in flight that may be less than one request. */
export interface Slots {
  /** Mean of the requests in flight. */
  readonly mean: number
  /** How long a request is in flight. */
  readonly stayMs: number
}
