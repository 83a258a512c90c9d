import type { Route } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { ClassCounters, RouteCounters } from '../measure/counters.ts'
import type { InFlightRequest, OpenRequests } from '../measure/in-flight-request.ts'
import type { RequestCosts } from '../measure/request-cost.ts'
import { ADMIT, REFUSE, type Verdict } from '../protocol/verdict.ts'
import { awaitVerdict } from './batch/await-verdict.ts'
import type { WaitingRequest } from './batch/policer.ts'
import type { OriginAdmission } from './origin-admission.ts'

/** What admission needs to know of a request. */
export interface Candidate {
  /** Its class, as an index into the route's classes. */
  readonly classIndex: number
  /** Age of its admitted session; null: it has none. */
  readonly sessionAgeMs: number | null
  /** Is it before the retry time of its last refusal? */
  readonly isEarly: boolean
  /** The hash of its client; null: unknown, or it does not matter now. */
  readonly client: number | null
  /** Expected service time; 0: unknown, or it does not matter. */
  readonly serviceMs: number
}

/** A request whose signal aborts when the client leaves. Reading the signal is costly, so only batches do. */
interface Abortable {
  readonly signal: AbortSignal
}

interface RouteAdmissionParts {
  readonly origin: OriginAdmission
  readonly counters: RouteCounters
  readonly open: OpenRequests
  /** null: nothing depends on the cost of requests. */
  readonly costs: RequestCosts | null
  readonly runtime: Runtime
}

/** Decides on the requests of one route, without HTTP, and counts its own decisions. */
export class RouteAdmission {
  readonly #route: Route
  readonly #parts: RouteAdmissionParts

  constructor(route: Route, parts: RouteAdmissionParts) {
    this.#route = route
    this.#parts = parts
  }

  /** Can a request be refused now? Only then does it matter which client asks. */
  get isContested(): boolean {
    return this.#parts.origin.isContested
  }

  /** Is a request with this verdict refused? In `observe` none is. */
  keepsOut({ kind }: Verdict): boolean {
    return kind === 'refuse' && this.#route.mode === 'enforce'
  }

  /** With batches the verdict may take a moment. `request` tells when the client leaves. */
  decide(
    candidate: Candidate,
    nowMs: number,
    request: Abortable | null = null,
  ): Verdict | Promise<Verdict> {
    const known = this.#withoutDraw(candidate)
    if (known !== null) return known
    const { classIndex, client, serviceMs } = candidate
    const { origin } = this.#parts
    if (this.#route.police === 'threshold')
      return this.#count(candidate, origin.draw(this.#route, classIndex, nowMs, client, serviceMs))
    const drawn = origin.drawInBatch(this.#route, classIndex, nowMs, client, serviceMs)
    return 'kind' in drawn ? this.#count(candidate, drawn) : this.#await(candidate, drawn, request)
  }

  /** An admitted request goes to the origin. */
  begin({ classIndex, sessionAgeMs, serviceMs }: Candidate, nowMs: number): InFlightRequest {
    const { counters, open, costs } = this.#parts
    if (this.#route.granularity === 'session') counters.sessionRequest(sessionAgeMs ?? 0)
    return open.begin(this.#classAt(classIndex), nowMs, serviceMs, costs?.others ?? 0)
  }

  /** Requests of admitted sessions pass; early retries are refused. Neither is a draw. */
  #withoutDraw({ classIndex, sessionAgeMs, isEarly }: Candidate): Verdict | null {
    const counters = this.#classAt(classIndex)
    if (sessionAgeMs !== null) {
      counters.countVerdict(ADMIT.session)
      return ADMIT.session
    }
    if (!isEarly || this.#route.mode !== 'enforce') return null
    counters.early++
    counters.countVerdict(REFUSE.early)
    return REFUSE.early
  }

  async #await(
    candidate: Candidate,
    waiting: WaitingRequest,
    request: Abortable | null,
  ): Promise<Verdict> {
    const { origin, runtime } = this.#parts
    const verdict = await awaitVerdict(waiting, origin, runtime, request?.signal ?? null)
    // A client that has left was neither admitted nor refused, so nothing is counted.
    return verdict === null ? REFUSE.batch : this.#count(candidate, verdict)
  }

  #count({ classIndex, serviceMs }: Candidate, verdict: Verdict): Verdict {
    const counters = this.#classAt(classIndex)
    const isOut = this.keepsOut(verdict)
    counters.countVerdict(verdict)
    // Requests over quota are not demand that the origin should grow for.
    if (isOut && verdict === REFUSE.fairness) counters.overQuota++
    else {
      counters.offered++
      counters.offeredUs += Math.round(serviceMs * 1000)
    }
    if (isOut) return verdict
    counters.admitted++
    if (verdict.kind === 'refuse') counters.wouldRefuse++
    if (verdict === ADMIT.guaranteed) counters.guaranteed++
    return verdict
  }

  #classAt(index: number): ClassCounters {
    return this.#parts.counters.classes[index]!
  }
}
