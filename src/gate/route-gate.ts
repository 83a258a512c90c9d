import type { Candidate, RouteAdmission } from '../admission/route-admission.ts'
import type { Route, RouteClass } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { Signer } from '../lib/signer.ts'
import { ADMIT, type Verdict } from '../protocol/verdict.ts'
import { ClientKeys } from '../request/client-key.ts'
import { MatchRules } from '../request/match-rules.ts'
import type { RequestView } from '../request/request-view.ts'
import type { OriginState } from './origin-state.ts'
import { RefusalResponses } from './refusal-response.ts'
import type { Reporter } from './reporter.ts'
import { RetryCookies } from './retry-cookie.ts'
import { type Session, SessionCookies } from './session-cookie.ts'
import { Visit, type VisitedRoute } from './visit.ts'

/** The gate of one route. It finds class, session and client of a request, and asks admission. */
export class RouteGate implements VisitedRoute {
  readonly route: Route
  readonly origin: OriginState
  readonly reporter: Reporter
  readonly runtime: Runtime
  readonly admission: RouteAdmission
  readonly sessions: SessionCookies
  readonly retries: RetryCookies
  readonly refusals: RefusalResponses
  readonly #bypass: MatchRules | null
  readonly #classes: MatchRules
  /** null: the route has no fairness. */
  readonly #clients: ClientKeys | null

  constructor(
    route: Route,
    origin: OriginState,
    reporter: Reporter,
    signer: Signer,
    runtime: Runtime,
  ) {
    this.route = route
    this.origin = origin
    this.reporter = reporter
    this.runtime = runtime
    this.admission = origin.admissionOf(route.name)
    this.sessions = new SessionCookies(route, signer, runtime)
    this.retries = new RetryCookies(route, signer)
    this.refusals = new RefusalResponses(route)
    this.#bypass = route.bypass.length > 0 ? new MatchRules(route.bypass) : null
    this.#classes = new MatchRules(route.classes.map(({ match }) => match))
    this.#clients =
      route.fairness === null ? null : new ClientKeys(route.fairness.by, runtime.coin())
  }

  /** The first request of a new isolate may wait for the colo's cached plan. No other request does. */
  get wantsCachedPlan(): boolean {
    return this.route.startup === 'cached' && !this.origin.admission.hasPlan && this.reporter.isNew
  }

  /** With batches the decision may take a moment. */
  decide(view: RequestView, nowMs: number): Visit | Promise<Visit> {
    const uncounted = this.#uncounted(view)
    if (uncounted !== null) return new Visit(this, view, uncounted, null, null)
    const session =
      this.route.granularity === 'session'
        ? this.sessions.read(view.cookies, nowMs, view.url.isSecure)
        : null
    const candidate = this.#candidate(view, session, nowMs)
    const verdict = this.admission.decide(candidate, nowMs, view.request)
    return verdict instanceof Promise
      ? verdict.then((late) => new Visit(this, view, late, candidate, session))
      : new Visit(this, view, verdict, candidate, session)
  }

  /** The verdict on requests that the gate does not count. */
  #uncounted(view: RequestView): Verdict | null {
    if (this.route.mode === 'off') return ADMIT.off
    if (this.#bypass !== null && this.#isBypassed(this.#bypass, view)) return ADMIT.bypass
    return isPreflight(view) ? ADMIT.preflight : null
  }

  /** A bypass must match every reading of the path: the origin may take any of them. */
  #isBypassed(bypass: MatchRules, view: RequestView): boolean {
    return view.url.readings.every((path) => bypass.first(view, path) >= 0)
  }

  /** Where readings of the path lead to different classes, the request gets the least favoured of them. */
  #classOf(view: RequestView): number {
    const { classes } = this.route
    let lowest = this.#classes.first(view)
    for (const path of view.url.readings.slice(1)) {
      const index = this.#classes.first(view, path)
      if (isLessFavoured(classes[index]!, classes[lowest]!)) lowest = index
    }
    return lowest
  }

  #candidate(view: RequestView, session: Session | null, nowMs: number): Candidate {
    const { costs } = this.origin
    const classIndex = this.#classOf(view)
    const serviceMs = costs === null ? 0 : costs.estimateMs(this.route.name, view.url.path)
    if (session !== null) {
      const sessionAgeMs = nowMs - session.issuedAtMs
      return { classIndex, sessionAgeMs, isEarly: false, client: null, serviceMs }
    }
    const isEarly = this.retries.waitS(view.cookies, nowMs, view.url.isSecure) > 0
    const isClientNeeded = this.#clients !== null && this.admission.isContested
    const client = isClientNeeded ? this.#clients.of(view) : null
    return { classIndex, sessionAgeMs: null, isEarly, client, serviceMs }
  }
}

/**
 * Browsers send no cookie with a preflight (Fetch standard, CORS-preflight fetch). So it would be a new session, and an
 * admitted visitor could be refused.
 */
function isPreflight({ request, headers }: RequestView): boolean {
  return (
    request.method === 'OPTIONS' &&
    headers.has('Origin') &&
    headers.has('Access-Control-Request-Method')
  )
}

function isLessFavoured(a: RouteClass, b: RouteClass): boolean {
  return a.guaranteed === b.guaranteed ? a.value < b.value : a.guaranteed < b.guaranteed
}
