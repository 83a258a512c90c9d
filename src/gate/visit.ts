import type { Candidate, RouteAdmission } from '../admission/route-admission.ts'
import type { Route } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { Outcome } from '../measure/counters.ts'
import type { InFlightRequest } from '../measure/in-flight-request.ts'
import type { NoAnswer } from '../origin/forwarded.ts'
import { countsAsSample, keepPrivate } from '../origin/forwarded-headers.ts'
import { type Verdict, verdictText } from '../protocol/verdict.ts'
import type { RequestView } from '../request/request-view.ts'
import { originProblem } from './error-response.ts'
import type { OriginState } from './origin-state.ts'
import type { RefusalResponses } from './refusal-response.ts'
import type { RetryCookies } from './retry-cookie.ts'
import type { Session, SessionCookies } from './session-cookie.ts'

/** What a visit needs of its route. */
export interface VisitedRoute {
  readonly route: Route
  readonly origin: OriginState
  readonly admission: RouteAdmission
  readonly sessions: SessionCookies
  readonly retries: RetryCookies
  readonly refusals: RefusalResponses
  readonly runtime: Runtime
}

/** One request in the gate, from its verdict to its answer. */
export class Visit {
  readonly verdict: Verdict
  readonly #gate: VisitedRoute
  readonly #view: RequestView
  /** null: the request is not counted (bypass, off). */
  readonly #candidate: Candidate | null
  /** The session of the request; null: none yet. */
  readonly #session: Session | null
  #inFlight: InFlightRequest | null = null

  constructor(
    gate: VisitedRoute,
    view: RequestView,
    verdict: Verdict,
    candidate: Candidate | null,
    session: Session | null,
  ) {
    this.#gate = gate
    this.#view = view
    this.verdict = verdict
    this.#candidate = candidate
    this.#session = session
  }

  /** In `observe` no request is refused. */
  get isRefused(): boolean {
    return this.#gate.admission.keepsOut(this.verdict)
  }

  /** The answer to a refused request, with the retry cookie. */
  refusal(nowMs: number): Response {
    const { verdict } = this
    if (verdict.kind !== 'refuse') throw new Error('An admitted request cannot be refused')
    const { refusals, retries, runtime } = this.#gate
    const { request, url, cookies } = this.#view
    if (this.#candidate?.isEarly) {
      const waitS = retries.waitS(cookies, nowMs, url.isSecure)
      return refusals.answer(request, verdict.reason, this.#className, waitS, null)
    }
    const retryAfterS = refusals.retryAfterS(runtime.coin())
    const cookie = retries.write(retryAfterS, nowMs, url.isSecure)
    return refusals.answer(request, verdict.reason, this.#className, retryAfterS, cookie)
  }

  /** The request goes to the origin. From here on it must be settled: by `answered`, `unanswered` or `settle`. */
  begin(nowMs: number): void {
    if (this.#candidate !== null)
      this.#inFlight = this.#gate.admission.begin(this.#candidate, nowMs)
  }

  /** What the isolate's sweeps watch; null: the request is not counted. */
  get sweepable(): InFlightRequest | null {
    return this.#inFlight
  }

  /** The origin has answered. Returns the answer with the headers of the gate. */
  answered(response: Response, nowMs: number, isTimely = true): Response {
    this.received(response, nowMs, isTimely)
    this.settle(response.status >= 500 ? 'failed' : 'served')
    return this.withGateHeaders(response, nowMs)
  }

  /** The origin's headers are here: measures the response time. */
  received({ status, headers }: Response, nowMs: number, isTimely = true): void {
    const inFlight = this.#inFlight
    if (inFlight === null) return
    inFlight.headersReceived(nowMs, isTimely && countsAsSample(headers, status))
    const { origin, route } = this.#gate
    if (status < 500)
      origin.costs?.observe(route.name, this.#view.url.path, inFlight, headers.get('Server-Timing'))
  }

  /** The origin has not answered. Returns what the client gets instead. */
  unanswered(why: NoAnswer, nowMs: number): Response {
    this.settle(why === 'client-gone' ? 'abandoned' : 'failed')
    // A client that has left reads no answer, so any answer will do.
    const problem = originProblem(
      this.#view.request,
      why === 'too-slow' ? 'too-slow' : 'unreachable',
    )
    return this.withGateHeaders(problem, nowMs)
  }

  /** Does nothing if the request is already settled, because two events may race. */
  settle(outcome: Outcome): void {
    this.#inFlight?.settleUnlessSettled(outcome)
  }

  /** The answer with the session cookie and the verdict header, if they are due. */
  withGateHeaders(response: Response, nowMs: number): Response {
    const { verdictHeader } = this.#gate.route
    const cookie = this.#cookie(nowMs)
    if (cookie === null && !verdictHeader) return response
    const answer = copyOf(response)
    if (cookie !== null) {
      answer.headers.append('Set-Cookie', cookie)
      keepPrivate(answer.headers)
    }
    if (verdictHeader) answer.headers.set('Tidegate-Verdict', this.#verdictText)
    return answer
  }

  /** null: the request is not counted, so it has no class. */
  get #className(): string | null {
    const candidate = this.#candidate
    return candidate === null ? null : this.#gate.route.classes[candidate.classIndex]!.name
  }

  get #verdictText(): string {
    return verdictText(this.verdict, this.#gate.route.name, this.#className)
  }

  /** The cookie of a new session, or of a known one that is due for renewal. */
  #cookie(nowMs: number): string | null {
    const { route, sessions } = this.#gate
    if (route.granularity !== 'session' || this.#candidate === null) return null
    const { isSecure } = this.#view.url
    if (this.#session === null) {
      const admittedAs = route.classes[this.#candidate.classIndex]!.name
      return sessions.begin(admittedAs, nowMs, isSecure)
    }
    if (!sessions.isDueForRenewal(this.#session, nowMs)) return null
    return sessions.renew(this.#session, nowMs, isSecure)
  }
}

/** The headers of a fetched response cannot be written to, but those of a copy can. */
function copyOf(response: Response): Response {
  const { status, headers } = response
  if (status !== 101) return new Response(response.body, response)
  // The body of an upgraded connection is its socket.
  const { webSocket } = response as { webSocket?: unknown }
  return new Response(null, { status, headers, webSocket } as ResponseInit)
}
