import type { Candidate } from '../admission/route-admission.ts'
import type { Outcome } from '../measure/counters.ts'
import type { InFlightRequest } from '../measure/in-flight-request.ts'
import { keyOf } from '../measure/service-times.ts'
import type { NoAnswer } from '../origin/forwarded.ts'
import { countsAsSample, keepPrivate } from '../origin/forwarded-headers.ts'
import type { PinnedSession } from '../origin/server-pool.ts'
import { markOf } from '../origin/session-home.ts'
import {
  ADMIT,
  DEGRADE,
  REDIRECT,
  type RefuseReason,
  type Verdict,
  verdictText,
} from '../protocol/verdict.ts'
import type { RequestView } from '../request/request-view.ts'
import { ticketPreflight } from './cors.ts'
import type { Instead } from './detour.ts'
import { noAnswer } from './error-response.ts'
import {
  commandsIn,
  type OriginAnswerCommands,
  SESSION_COMMAND,
  STOCK_COMMAND,
} from './origin-answer.ts'
import type { HeldPass } from './passes.ts'
import { type AnswerQuality, answerQuality } from './quality-header.ts'
import type { Session } from './session-cookie.ts'
import { copyOf, endTicket, explain, sessionCookie, withHolder } from './visit-headers.ts'
import { refusalOf } from './visit-refusal.ts'
import { classNameOf, type Visited, type VisitedRoute } from './visited.ts'
import { POLL_HEADER } from './waiting/waiting-response.ts'

/** Nothing is left; or the client, and not the load, is the reason; or the visitor waits already. */
const NO_DETOUR: ReadonlySet<string> = new Set(['sold-out', 'uploads', 'waiting', 'event'])

/** The reason of a refusal that may become another answer; null: it may not. */
function insteadReason({ kind, reason }: Verdict): RefuseReason | null {
  if ((kind !== 'refuse' && kind !== 'queue') || NO_DETOUR.has(reason)) return null
  return reason as RefuseReason
}

/** An answer without the page may skip the part of the origin that the page needs most. */
const showsTier = (method: string, status: number): boolean =>
  status < 400 && status !== 304 && method !== 'HEAD'

/** One request in the gate, from its verdict to its answer. */
export class Visit implements Visited {
  readonly verdict: Verdict
  readonly gate: VisitedRoute
  readonly view: RequestView
  readonly candidate: Candidate | null
  readonly session: Session | null
  readonly held: HeldPass | null
  #inFlight: InFlightRequest | null = null
  #isEnded = false
  /** undefined: not asked for yet. */
  #quality: { answer: AnswerQuality | null; step: number } | null | undefined
  /** The mark of the server that the request goes to; null: sessions do not stay at a server. */
  #server: string | null = null
  #beganAtMs = 0

  constructor(
    gate: VisitedRoute,
    view: RequestView,
    verdict: Verdict,
    candidate: Candidate | null,
    session: Session | null,
    held: HeldPass | null = null,
  ) {
    this.gate = gate
    this.view = view
    this.verdict = verdict
    this.candidate = candidate
    this.session = session
    this.held = held
    if (candidate !== null) gate.verdicts.offer(verdict, candidate.classIndex, gate.runtime.now)
  }

  /** null: the request is not counted. */
  get classIndex(): number | null {
    return this.candidate?.classIndex ?? null
  }

  /** In `observe` no request is refused. */
  get isRefused(): boolean {
    return this.gate.admission.keepsOut(this.verdict)
  }

  /** May the steps of `whenFull` before the last one answer this refused request? */
  get mayGetInstead(): boolean {
    if (!this.gate.hasDetour || !this.isRefused || this.candidate === null) return false
    return insteadReason(this.verdict) !== null
  }

  /** A refused request gets another answer. Returns it with the headers of the gate. */
  instead({ kind, response }: Instead): Response {
    const { verdict } = this
    const candidate = this.candidate
    const reason = insteadReason(verdict)
    if (reason === null || candidate === null)
      throw new Error('Only a refused request gets something else')
    const given = kind === 'degrade' ? DEGRADE[reason] : REDIRECT[reason]
    this.gate.admission.replace(candidate, verdict, given)
    const { name, verdictHeader } = this.gate.route
    const answer = copyOf(response)
    for (const header of [SESSION_COMMAND, STOCK_COMMAND]) answer.headers.delete(header)
    if (verdictHeader)
      answer.headers.set('Tidegate-Verdict', verdictText(given, name, classNameOf(this)))
    return answer
  }

  /** The quality of the answer that the origin is asked for; null: full quality. */
  get quality(): AnswerQuality | null {
    if (this.#quality === undefined) this.#quality = this.#nextQuality()
    return this.#quality?.answer ?? null
  }

  #nextQuality(): { answer: AnswerQuality | null; step: number } | null {
    const { route, admission, runtime } = this.gate
    const rules = route.degrade?.quality
    if (!rules || this.candidate === null) return null
    const next = admission.nextQuality(runtime.now())
    return next === null ? null : { answer: answerQuality(rules, next), step: next.step }
  }

  /** The answer to a refused request, with the retry cookie. */
  refusal(nowMs: number): Response {
    const refusal = withHolder(this, refusalOf(this, nowMs), nowMs)
    explain(this, refusal.headers, this.#beganAtMs, nowMs)
    return refusal
  }

  /** The answer that the gate gives by itself; null: the request goes to the origin. */
  ownAnswer(nowMs: number): Response | null {
    if (this.isRefused) return this.refusal(nowMs)
    const { request, headers } = this.view
    if (this.verdict === ADMIT.preflight)
      return ticketPreflight(request, this.gate.route.refusal.allowOrigins)
    const isPoll = this.gate.tickets !== null && headers.has(POLL_HEADER)
    if (!isPoll || this.gate.route.granularity !== 'session') return null
    // The waiting page asked whether it is its turn. It is: the page loads itself again, with the session.
    return this.withGateHeaders(new Response(null, { status: 204 }), nowMs)
  }

  /** The request goes to the origin. From here on it must be settled: by `answered`, `unanswered` or `settle`. */
  begin(nowMs: number): void {
    if (this.#beganAtMs === 0) this.#beganAtMs = nowMs
    if (this.candidate !== null) this.#inFlight ??= this.gate.admission.begin(this.candidate, nowMs)
  }

  /** What the isolate's sweeps watch; null: the request is not counted. */
  get sweepable(): InFlightRequest | null {
    return this.#inFlight
  }

  /** The session whose server matters; null: there is none yet, or any server will do. */
  get pinned(): PinnedSession | null {
    return this.session
  }

  servedBy(server: string): void {
    if (this.gate.origin.pool?.hasAffinity) this.#server = markOf(server)
  }

  /** The origin has answered. Returns the answer with the headers of the gate. */
  answered(response: Response, nowMs: number, isTimely = true): Response {
    // An origin may answer before it has the whole upload.
    this.begin(nowMs)
    this.received(response, nowMs, isTimely)
    this.settle(response.status >= 500 ? 'failed' : 'served')
    return this.withGateHeaders(response, nowMs)
  }

  /** The origin's headers are here: measures the response time. */
  received({ status, headers }: Response, nowMs: number, isTimely = true): void {
    const inFlight = this.#inFlight
    if (inFlight === null) return
    inFlight.headersReceived(nowMs, isTimely && countsAsSample(headers, status))
    const { origin, route } = this.gate
    if (status < 500) inFlight.counts(this.#costOf(inFlight, status))
    if (showsTier(this.view.request.method, status))
      this.gate.tiers?.observe(this.view.url.path, headers.get('Server-Timing'))
    const { sampleMs } = inFlight
    // Arrivals are counted without the answers that the learner ignores, so service times are, too.
    if (sampleMs !== null) origin.tierTimes?.observe(headers)
    if (this.#quality && sampleMs !== null)
      origin.countersOf(route.name).qualitySample(this.#quality.step, sampleMs)
    if (status < 500)
      origin.costs?.observe(route.name, this.view.url.path, inFlight, headers.get('Server-Timing'))
  }

  /** Lighter pages of a degraded route say nothing about the cost of its pages. */
  #costOf({ sampleMs }: InFlightRequest, status: number): number {
    const { origin, route } = this.gate
    const candidate = this.candidate
    if (sampleMs === null || candidate === null || (this.#quality && status < 300)) return 1
    const { classIndex, sessionAgeMs } = candidate
    const { url, request } = this.view
    return origin.costOf(route.name, route.classes[classIndex]!, {
      key: keyOf(route.name, url.path),
      method: request.method,
      status,
      responseMs: sampleMs,
      sessionAgeMs,
    })
  }

  /** The origin has not answered. Returns what the client gets instead. */
  unanswered(why: NoAnswer, nowMs: number): Response {
    this.begin(nowMs)
    const isFailure = why === 'unreachable' || why === 'too-slow'
    this.settle(isFailure ? 'failed' : 'abandoned', nowMs)
    return this.withGateHeaders(noAnswer(this.view.request, why), nowMs)
  }

  /** Does nothing if the request is already settled, because two events may race. */
  settle(outcome: Outcome, leftAtMs?: number): void {
    this.#inFlight?.settleUnlessSettled(outcome, leftAtMs)
  }

  /** The answer with the session cookie and the verdict header, if they are due. */
  withGateHeaders(response: Response, nowMs: number): Response {
    const { verdict } = this
    const { name, verdictHeader, serverTiming } = this.gate.route
    const commands = commandsIn(response.headers)
    if (commands !== null) this.#obey(commands, nowMs)
    const cookie = sessionCookie(this, this.#isEnded, this.#server, nowMs)
    const isPlain = cookie === null && commands === null && !verdictHeader && !serverTiming
    if (isPlain && this.held === null) return response
    const answer = copyOf(response)
    if (commands !== null) {
      answer.headers.delete(SESSION_COMMAND)
      answer.headers.delete(STOCK_COMMAND)
    }
    if (cookie !== null) {
      answer.headers.append('Set-Cookie', cookie)
      keepPrivate(answer.headers)
      endTicket(this, answer.headers, cookie)
    }
    if (verdictHeader)
      answer.headers.set('Tidegate-Verdict', verdictText(verdict, name, classNameOf(this)))
    explain(this, answer.headers, this.#beganAtMs, nowMs)
    return withHolder(this, answer, nowMs)
  }

  /** Each holds in this isolate at once. The next report tells the coordinator, and a plan tells all isolates. */
  #obey({ isRevoked, stock }: OriginAnswerCommands, nowMs: number): void {
    const { origin, route, sessions } = this.gate
    this.#isEnded = isRevoked
    const session = this.session
    if (isRevoked && session !== null && !origin.commands.isRevoked(session.id)) {
      origin.commands.revoke(session.id, sessions.validUntilMs(session))
      origin.countersOf(route.name).sessionEnded(nowMs - session.issuedAtMs)
    }
    const isSoldOut = stock === 0
    if (stock === null || isSoldOut === origin.admission.soldOut.has(route.name)) return
    // An answer may be overtaken by a later one that says 0. Only what was asked for later can end that.
    origin.commands.setStock(route.name, stock, isSoldOut ? nowMs : this.#beganAtMs)
    origin.admission.soldOut.set(route.name, isSoldOut, nowMs)
  }
}
