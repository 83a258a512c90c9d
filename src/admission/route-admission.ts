import type { Mode, Route } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { ClassCounters } from '../measure/counters.ts'
import type { InFlightRequest, OpenRequests } from '../measure/in-flight-request.ts'
import type { RequestCosts } from '../measure/request-cost.ts'
import type { RouteCounters } from '../measure/route-counters.ts'
import { classKey } from '../protocol/class-key.ts'
import { ADMIT, DEGRADE, QUEUE, REFUSE, type Verdict } from '../protocol/verdict.ts'
import { awaitVerdict } from './batch/await-verdict.ts'
import type { WaitingRequest } from './batch/policer.ts'
import type { OriginAdmission } from './origin-admission.ts'
import {
  type HeldPlace,
  type Proof,
  QueueAdmission,
  type QueueCandidate,
} from './queue/queue-admission.ts'
import type { Ticket } from './queue/ticket.ts'
import type { Waiting } from './queue/waiting.ts'
import type { RequestQuality } from './route-quality.ts'
import type { SessionUse } from './session-rates.ts'

/** What admission needs to know of a request. */
export interface Candidate {
  /** Its class, as an index into the route's classes. */
  readonly classIndex: number
  /** Age of its admitted session; null: it has none. */
  readonly sessionAgeMs: number | null
  /** How much its admitted session asks for. @default usual */
  readonly use?: SessionUse
  /** Is it before the retry time of its last refusal? */
  readonly isEarly: boolean
  /** The hash of its client; null: unknown, or it does not matter now. */
  readonly client: number | null
  /** Expected service time; 0: unknown, or it does not matter. */
  readonly serviceMs: number
  /** Does its pass let it in without a draw? */
  readonly skips?: boolean
  /** The place that its key holds: the id of a new ticket, and when the place began. */
  readonly place?: HeldPlace | null
  /** Its ticket of the waiting room. Absent: none. */
  readonly ticket?: Ticket | null
  /** Must its ticket pass a challenge before it gets a place? Absent: it need not. */
  readonly proof?: Proof
  /** Does an event keep the route closed? */
  readonly isClosed?: boolean
  /** An event opens at this time, and before it nobody enters. Absent: none. */
  readonly opensMs?: number | null
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
  /** null: the route has no waiting room. */
  readonly #queue: QueueAdmission | null

  constructor(route: Route, parts: RouteAdmissionParts) {
    this.#route = route
    this.#parts = parts
    const { origin, counters } = parts
    this.#queue =
      route.whenFull.at(-1) === 'queue' ? new QueueAdmission(route, origin, counters) : null
  }

  /** The mode in force: the configured one, unless an operator set another. */
  get mode(): Mode {
    return this.#parts.origin.modeOf(this.#route)
  }

  /** Can a request be refused now? Only then does it matter which client asks. */
  get isContested(): boolean {
    return this.#parts.origin.isContested
  }

  /** Are visitors refused now? Then sessions that ask for far more than others are bounded. */
  get isPressed(): boolean {
    return this.#parts.origin.isPressed
  }

  /** Is a request with this verdict refused? In `observe` none is. */
  keepsOut({ kind }: Verdict): boolean {
    return (kind === 'refuse' || kind === 'queue') && this.mode === 'enforce'
  }

  /** Is this a draw that should first ask for a newer plan? Admitted sessions and early retries never wait. */
  wantsAnswer({ classIndex, sessionAgeMs, isEarly }: Candidate, nowMs: number): boolean {
    if (sessionAgeMs !== null || isEarly || this.mode !== 'enforce') return false
    return this.#parts.origin.wantsAnswer(this.#route, classIndex, nowMs)
  }

  /** The key of its class. */
  keyOf({ classIndex }: Pick<Candidate, 'classIndex'>): string {
    return classKey(this.#route.name, this.#route.classes[classIndex]!.name)
  }

  /** With batches the verdict may take a moment. `request` tells when the client leaves. */
  decide(
    candidate: Candidate,
    nowMs: number,
    request: Abortable | null = null,
  ): Verdict | Promise<Verdict> {
    const known = this.#withoutDraw(candidate, nowMs)
    if (known !== null) return known
    const queued = this.#queue?.decide(queueCandidate(candidate), nowMs) ?? null
    if (queued !== null) return this.#countQueued(candidate, queued, nowMs)
    const { classIndex, client, serviceMs } = candidate
    const { origin } = this.#parts
    if (this.#route.police === 'threshold')
      return this.#count(
        candidate,
        origin.draw(this.#route, classIndex, nowMs, client, serviceMs),
        nowMs,
      )
    const drawn = origin.drawInBatch(this.#route, classIndex, nowMs, client, serviceMs)
    return 'kind' in drawn
      ? this.#count(candidate, drawn, nowMs)
      : this.#await(candidate, drawn, request)
  }

  /** Refuses a request for a reason that has nothing to do with the origin's capacity, so it is not offered load. */
  refuse({ classIndex }: Candidate, verdict: Verdict): Verdict {
    this.#classAt(classIndex).countVerdict(verdict)
    return verdict
  }

  /** An admitted request goes to the origin. */
  begin({ classIndex, sessionAgeMs, use, serviceMs }: Candidate, nowMs: number): InFlightRequest {
    const { counters, open, costs } = this.#parts
    const others = costs?.others ?? 0
    const counted = this.#classAt(classIndex)
    // What one session asks for far beyond the others is no forecast for sessions of its age.
    if (this.#route.granularity !== 'session' || use === 'heavy')
      return open.begin(counted, nowMs, serviceMs, others)
    const onClosed = counters.sessionRequest(sessionAgeMs ?? 0)
    return open.begin(counted, nowMs, serviceMs, others, onClosed)
  }

  /**
   * Requests of admitted sessions and of some passes pass, unless they are too many; early retries and those for sold-out routes are
   * refused. None is a draw.
   */
  #withoutDraw(
    { classIndex, sessionAgeMs, use, isEarly, skips }: Candidate,
    nowMs: number,
  ): Verdict | null {
    const counters = this.#classAt(classIndex)
    if (sessionAgeMs !== null) {
      const verdict = use === 'over' ? REFUSE.fairness : this.#atQuality(ADMIT.session, nowMs)
      if (this.keepsOut(verdict)) counters.overQuota++
      counters.countVerdict(verdict)
      return verdict
    }
    if (this.#parts.origin.soldOut.has(this.#route.name)) return this.#soldOut(counters)
    if (skips) {
      const verdict = this.#atQuality(ADMIT.pass, nowMs)
      counters.countVerdict(verdict)
      counters.offered++
      counters.admitted++
      return verdict
    }
    if (!isEarly || this.mode !== 'enforce') return null
    counters.early++
    counters.countVerdict(REFUSE.early)
    return REFUSE.early
  }

  /** Nothing is left to serve them, so they are no demand that the origin should grow for. */
  #soldOut(counters: ClassCounters): Verdict {
    counters.countVerdict(REFUSE['sold-out'])
    if (this.mode === 'enforce') return REFUSE['sold-out']
    counters.offered++
    counters.admitted++
    counters.wouldRefuse++
    return REFUSE['sold-out']
  }

  /** The visitor of a queue verdict waits: its ticket, its place, the time of its next refresh. */
  wait(candidate: Candidate, verdict: Verdict, nowMs: number): Waiting {
    if (this.#queue === null) throw new Error('This route has no waiting room')
    return this.#queue.wait(queueCandidate(candidate), verdict, nowMs, this.#parts.runtime)
  }

  /** A ticket moves to another class. */
  leaveClass(classIndex: number, ticket: Ticket): void {
    const { room } = this.#parts.origin.classAt(this.#route, classIndex)
    this.#classAt(classIndex).ticketLeaves(ticket, room.bucketS)
  }

  /** A verdict by ticket and watermark. */
  #countQueued(candidate: Candidate, verdict: Verdict, nowMs: number): Verdict {
    const counters = this.#classAt(candidate.classIndex)
    counters.countVerdict(verdict)
    if (verdict === QUEUE.event && this.keepsOut(verdict)) return verdict
    if (verdict === QUEUE.early) counters.early++
    else if (verdict === REFUSE.fairness) counters.overQuota++
    else if (candidate.ticket) counters.tickets++
    else counters.offered++
    if (this.keepsOut(verdict)) return verdict
    this.#queue?.enter(queueCandidate(candidate), nowMs)
    counters.admitted++
    if (verdict === ADMIT.ticket) counters.byTicket++
    else counters.wouldRefuse++
    return verdict
  }

  async #await(
    candidate: Candidate,
    waiting: WaitingRequest,
    request: Abortable | null,
  ): Promise<Verdict> {
    const { origin, runtime } = this.#parts
    const verdict = await awaitVerdict(waiting, origin, runtime, request?.signal ?? null)
    // A client that has left was neither admitted nor refused, so nothing is counted.
    return verdict === null ? REFUSE.batch : this.#count(candidate, verdict, runtime.now())
  }

  #count(candidate: Candidate, drawn: Verdict, nowMs: number): Verdict {
    const { classIndex, serviceMs } = candidate
    const counters = this.#classAt(classIndex)
    const isQueued = this.#queue !== null && drawn.kind === 'refuse'
    const verdict = isQueued ? QUEUE[drawn.reason] : this.#atQuality(drawn, nowMs)
    const isOut = this.keepsOut(verdict)
    counters.countVerdict(verdict)
    // Requests over quota are not demand that the origin should grow for.
    if (isOut && drawn === REFUSE.fairness) counters.overQuota++
    else {
      counters.offered++
      counters.offeredUs += Math.round(serviceMs * 1000)
    }
    if (isOut) return verdict
    this.#queue?.enter(queueCandidate(candidate), nowMs)
    counters.admitted++
    if (drawn.kind === 'refuse') counters.wouldRefuse++
    if (drawn === ADMIT.guaranteed) counters.guaranteed++
    return verdict
  }

  /** The quality of a request that goes to the origin now; null: the route has one quality only. */
  nextQuality(nowMs: number): RequestQuality | null {
    const quality = this.#parts.origin.qualityOf(this.#route.name)
    return quality === null || this.mode !== 'enforce' ? null : quality.next(nowMs)
  }

  /** A request that was refused gets another answer after all. */
  replace({ classIndex }: Candidate, before: Verdict, after: Verdict): void {
    this.#classAt(classIndex).recountVerdict(before, after)
  }

  /** A request that is admitted with lower quality is degraded. */
  #atQuality(verdict: Verdict, nowMs: number): Verdict {
    const quality = this.#parts.origin.qualityOf(this.#route.name)
    if (quality === null || verdict.kind !== 'admit' || this.mode !== 'enforce') return verdict
    return quality.isLow(nowMs) ? DEGRADE.quality : verdict
  }

  #classAt(index: number): ClassCounters {
    return this.#parts.counters.classes[index]!
  }
}

const queueCandidate = (candidate: Candidate): QueueCandidate => ({
  classIndex: candidate.classIndex,
  ticket: candidate.ticket ?? null,
  opensMs: candidate.opensMs ?? null,
  client: candidate.client,
  place: candidate.place ?? null,
  ...(candidate.proof ? { proof: candidate.proof } : {}),
})
