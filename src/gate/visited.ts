import type { EventPhase } from '../admission/queue/event-phase.ts'
import type { Candidate, RouteAdmission } from '../admission/route-admission.ts'
import type { Route } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { PathTiers } from '../measure/path-tiers.ts'
import type { VerdictSamples } from '../measure/verdict-samples.ts'
import type { Verdict } from '../protocol/verdict.ts'
import type { RequestView } from '../request/request-view.ts'
import type { OriginState } from './origin-state.ts'
import type { HeldPass, RoutePasses } from './passes.ts'
import type { RefusalResponses } from './refusal-response.ts'
import type { RetryCookies } from './retry-cookie.ts'
import type { Session, SessionCookies } from './session-cookie.ts'
import type { TicketCookies } from './waiting/ticket-cookie.ts'
import type { WaitingResponses } from './waiting/waiting-response.ts'

/** What a visit needs of its route. */
export interface VisitedRoute {
  readonly route: Route
  readonly origin: OriginState
  readonly admission: RouteAdmission
  readonly sessions: SessionCookies
  readonly retries: RetryCookies
  readonly refusals: RefusalResponses
  readonly runtime: Runtime
  readonly passes: RoutePasses
  readonly verdicts: VerdictSamples
  readonly tickets: TicketCookies | null
  readonly waitingAnswers: WaitingResponses
  readonly hasDetour: boolean
  readonly tiers: PathTiers | null
  /** What events make of the route now; null: no event holds. */
  phaseAt(nowMs: number): EventPhase | null
}

/** A request with its verdict: what its answer is made from. */
export interface Visited {
  readonly gate: VisitedRoute
  readonly view: RequestView
  readonly verdict: Verdict
  /** null: the request is not counted (bypass, off). */
  readonly candidate: Candidate | null
  /** The session of the request; null: none yet. */
  readonly session: Session | null
  /** The pass of the visitor; null: none that may be used. */
  readonly held: HeldPass | null
}

/** null: the request is not counted, so it has no class. */
export const classNameOf = ({ gate, candidate }: Visited): string | null =>
  candidate === null ? null : gate.route.classes[candidate.classIndex]!.name
