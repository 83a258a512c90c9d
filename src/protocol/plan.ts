import type { Mode, QueueEvent } from '../config/config.ts'
import type { PoolServer } from './feedback.ts'
import type { QueuePlan } from './queue-plan.ts'

/** The message from the coordinator to the edge: for each class an admission probability and a guaranteed rate. */

export const PLAN_VERSION = 1

export interface Plan {
  readonly version: typeof PLAN_VERSION
  readonly origin: string
  /** Number of the coordinator's tick. */
  readonly seq: number
  readonly issuedAtMs: number
  /** A newer plan should come within this time. Until then this one stays in force. */
  readonly goodForMs: number
  /** It is calm: an isolate with little traffic may report this seldom. Absent: everybody reports every second. */
  readonly calmMs?: number
  /** The setup that this plan is made for: see `Setup`. */
  readonly setup: { readonly id: string; readonly sinceMs: number }
  /**
   * Load per second that is left for draws after the guarantees; null: no limit. Load is in new sessions if all
   * routes of the origin are session routes, else in requests.
   */
  readonly drawLimit: number | null
  /**
   * How the classes' probabilities hold. Absent: they show the limit, which a bucket or leases keep. `forecast`: draws
   * keep the limit, since the arrivals are predicted. `policy`: draws decide, and the limit only stops a surge.
   */
  readonly draws?: Draws
  /** Load that may come at once: the depth of the token bucket for draws. */
  readonly burst: number
  /** Most requests in flight at the origin, over all isolates; null: no cap. */
  readonly inFlightCap: number | null
  /** The guarantees use up the whole limit. They are kept, and no other request is admitted. */
  readonly overcommitted?: true
  /** What is known of the origin's servers. Absent: nothing is, or no route needs it. */
  readonly load?: OriginLoad
  /** The servers of the pool, where they are not those of the configuration. */
  readonly servers?: readonly PoolServer[]
  /** Servers that are new or have come back, and since when: they start slowly. Absent: none. */
  readonly rising?: Readonly<Record<string, number>>
  /** Servers of the pool that do not answer. Requests go to the other servers. Absent: none. */
  readonly down?: readonly string[]
  /** Sessions that the origin has ended, by their mark: until when their cookies are valid. Absent: it never ended one. */
  readonly revoked?: Readonly<Record<string, number>>
  readonly routes: Readonly<Record<string, RoutePlan>>
}

/** Where draws keep a limit, and not a bucket or leases. */
export type Draws = 'forecast' | 'policy'

export interface OriginLoad {
  /** n: requests that the origin works on at once at its limit; null: no limit is known. */
  readonly servers: number | null
  /** S: mean inherent service time of its requests. */
  readonly serviceMs: number
  /** Requests at the origin, over all isolates. */
  readonly inFlight: number
  /** Q: the response time that neither service nor sharing the servers explains. */
  readonly queueingMs: number
}

export interface RoutePlan {
  /** Set by an operator; absent: the configured mode holds. */
  readonly mode?: Mode
  /** λ*: the learner's limit, in the route's granularity; null: no limit. */
  readonly limit: number | null
  readonly reason: string
  /** The target in force. It changes with the arrival rate if the SLA has a table of targets. */
  readonly targetMs: number
  /** The origin said that nothing is left: no new visitor is admitted. Absent: it did not. */
  readonly soldOut?: true
  /** Events of the waiting room that operators made, besides those of the configuration. Absent: none. */
  readonly events?: readonly QueueEvent[]
  /** Absent: the route has one quality only. */
  readonly quality?: QualityPlan
  readonly classes: Readonly<Record<string, ClassPlan>>
}

export interface QualityPlan {
  /** The quality in force: 1 is full quality. */
  readonly value: number
  /** Its step, 0 for full quality, and how many steps there are. */
  readonly step: number
  readonly of: number
  /** The load of a request of the lowest quality, where 1 is one at the present step. */
  readonly lowest: number
  /** By step, the part of the load that it saves, as measured. */
  readonly saved: readonly number[]
}

export interface ClassPlan {
  /** p: the part of the draws that is admitted. */
  readonly probability: number
  readonly guaranteed: number
  /** min(1, guaranteed / arrivals): the part of the arrivals that is under the guarantee. */
  readonly conforming: number
  /** Load of one admission, in the unit of `drawLimit`. */
  readonly cost: number
  /** d_i: how long its requests wait before their batch is tested; absent: not at all. */
  readonly delayMs?: number
  /** 0 for the most important class of the origin, then 1, 2, …: the order in which the limit is shared out. */
  readonly rank: number
  /** Its waiting room. Absent: nobody waits. */
  readonly queue?: QueuePlan
  /** Its target in force, if the class has an SLA of its own. */
  readonly targetMs?: number
  /** The class is limited by itself. Absent: it shares the origin's limit. */
  readonly own?: OwnLimitPlan
}

/** The limit of a class that is limited by itself. */
export interface OwnLimitPlan {
  /** Requests per second that are left for draws after its guarantee; null: no limit. */
  readonly drawLimit: number | null
  /** Most of its requests in flight at the origin, over all isolates; null: no cap. */
  readonly inFlightCap: number | null
  readonly burst: number
  /** See `Plan`. */
  readonly draws?: Draws
}

/**
 * A coordinator that has lost its state counts from 0 again, and clocks may be set back. A plan that seems this much older
 * is taken all the same.
 */
const CLOCK_STEP_MS = 30_000

/**
 * The answer to a report may be overtaken by a later plan, which must stay in force. In calm plans may be 10 s apart, and
 * after a clock was set back the number still tells.
 */
export function newerPlan(current: Plan | null, given: Plan | null): Plan | null {
  if (current === null || given === null) return given
  const olderMs = current.issuedAtMs - given.issuedAtMs
  const isOlder = given.seq <= current.seq && olderMs > 0 && olderMs < CLOCK_STEP_MS
  return isOlder ? current : given
}

/** Does the plan let every class in as a whole? Then the limit is not needed. */
export function isAllIn({ routes }: Plan): boolean {
  return Object.values(routes).every(({ classes }) =>
    Object.values(classes).every(({ probability }) => probability >= 1),
  )
}

/** By route, the modes that operators set; null: none. */
export function modesOf({ routes }: Plan): ReadonlyMap<string, Mode> | null {
  let modes: Map<string, Mode> | null = null
  for (const [name, { mode }] of Object.entries(routes)) {
    if (mode === undefined) continue
    modes ??= new Map()
    modes.set(name, mode)
  }
  return modes
}
