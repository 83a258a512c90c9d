import { awaitVerdict } from '../admission/batch/await-verdict.ts'
import type { WaitingRequest } from '../admission/batch/policer.ts'
import type { Config, Route } from '../config/config.ts'
import { originNameOf } from '../config/config.ts'
import type { Background, Runtime } from '../lib/runtime.ts'
import { Signer } from '../lib/signer.ts'
import type { ClassCounters, RouteCounters } from '../measure/counters.ts'
import type { RequestRecord } from '../measure/request-record.ts'
import { Watch } from '../measure/watch.ts'
import { keepPrivate } from '../origin/forwarded-headers.ts'
import type { ServerPool } from '../origin/server-pool.ts'
import type { CoordinatorPort } from '../protocol/coordinator-port.ts'
import { ADMIT, REFUSE, type Verdict, verdictText } from '../protocol/verdict.ts'
import { ClientKeys } from '../request/client-key.ts'
import { MatchRules, type RequestView, RouteTable } from '../request/match-rules.ts'
import { splitUrl, type UrlParts } from '../request/url.ts'
import { type Judgement, keptOut, letIn, uncounted } from './judgement.ts'
import { Link } from './link.ts'
import type { PlanCache } from './plan-cache.ts'
import { RefusalResponses } from './refusal-response.ts'
import { RetryCookies } from './retry-cookie.ts'
import { SessionCookies } from './session-cookie.ts'

export type { Judgement } from './judgement.ts'

export interface GateOptions {
  readonly secrets: { readonly current: string; readonly previous: string | null }
  readonly portFor: (origin: string) => CoordinatorPort
  readonly cache: PlanCache | null
  readonly runtime: Runtime
  /** A name for this isolate that no other has. */
  readonly sender: string
  /** The client's address as the platform vouches for it. */
  readonly ipOf: (request: Request) => string | null
}

/** All routes of a configuration, ready for requests. */
export class Gate {
  readonly #routes: RouteTable<RouteGate>
  readonly #ipOf: (request: Request) => string | null

  constructor(config: Config, options: GateOptions) {
    const signer = new Signer(options.secrets)
    const links = new Map<string, Link>()
    const watch = new Watch()
    for (const origin of new Set(config.routes.map(originNameOf)))
      links.set(
        origin,
        new Link(
          config.routes.filter((route) => originNameOf(route) === origin),
          { ...options, port: options.portFor(origin) },
        ),
      )
    this.#ipOf = options.ipOf
    this.#routes = new RouteTable(
      config.routes.map(
        (route) =>
          new RouteGate(route, links.get(originNameOf(route))!, signer, watch, options.runtime),
      ),
    )
  }

  /** The gate of the route that this request takes, with what is known of it; null: no route takes it. */
  enter(request: Request): { gate: RouteGate; subject: RequestView } | null {
    const url = splitUrl(request.url)
    const gate = this.#routes.first(url)
    if (gate === null) return null
    return { gate, subject: new Arrival(request, url, this.#ipOf) }
  }
}

/** A request as it comes. To ask the runtime for something of it is to cross over, so it is asked once, or not at all. */
class Arrival implements RequestView {
  readonly request: Request
  readonly headers: Headers
  readonly url: UrlParts
  readonly cookies: string | null
  readonly #ipOf: GateOptions['ipOf']

  constructor(request: Request, url: UrlParts, ipOf: GateOptions['ipOf']) {
    this.request = request
    this.headers = request.headers
    this.url = url
    this.cookies = this.headers.get('Cookie')
    this.#ipOf = ipOf
  }

  get ip(): string | null {
    return this.#ipOf(this.request)
  }
}

/** A request that needs a verdict. */
interface Asked {
  readonly verdict: null
  readonly index: number
  readonly tally: ClassCounters
  readonly className: string
  readonly serviceMs: number
  readonly client: number | null
}

/** One route: classify, decide, and what goes with the answer. */
export class RouteGate {
  readonly route: Route
  readonly link: Link
  readonly watch: Watch
  readonly pool: ServerPool | null
  readonly runtime: Runtime
  readonly #bypass: MatchRules | null
  readonly #rules: MatchRules
  readonly #tally: RouteCounters
  readonly #sessions: SessionCookies
  readonly #notes: RetryCookies
  readonly #refusals: RefusalResponses
  /** null: it does not matter who asks. */
  readonly #clients: ClientKeys | null

  constructor(route: Route, link: Link, signer: Signer, watch: Watch, runtime: Runtime) {
    this.route = route
    this.link = link
    this.watch = watch
    this.pool = link.pool
    this.runtime = runtime
    this.#bypass = route.bypass.length > 0 ? new MatchRules(route.bypass) : null
    this.#rules = new MatchRules(route.classes.map(({ match }) => match))
    this.#tally = link.tallies.get(route.name)!
    this.#sessions = new SessionCookies(route.name, route.session, signer)
    this.#notes = new RetryCookies(route.name, route.session.cookie, signer)
    this.#refusals = new RefusalResponses(route)
    this.#clients =
      route.fairness === null ? null : new ClientKeys(route.fairness.by, runtime.coin())
  }

  /** The first request of a new isolate may look into the colo's cache; no other ever waits. */
  get wantsCachedPlan(): boolean {
    return this.route.startup === 'cached' && !this.link.admission.hasPlan && this.link.isNew
  }

  /** The judgement at once. */
  judge(subject: RequestView, nowMs: number): Judgement {
    const asked = this.#asks(subject, nowMs)
    if (asked.verdict !== null) return asked
    const { index, client, serviceMs } = asked
    const verdict = this.link.admission.draw(this.route, index, nowMs, client, serviceMs)
    return this.#conclude(asked, verdict, subject.url, nowMs)
  }

  /** The judgement as the route polices: with batches it may take a moment. */
  police(
    subject: RequestView,
    nowMs: number,
    background: Background,
  ): Judgement | Promise<Judgement> {
    if (this.route.police === 'threshold') return this.judge(subject, nowMs)
    const asked = this.#asks(subject, nowMs)
    if (asked.verdict !== null) return asked
    const { index, client, serviceMs } = asked
    const outcome = this.link.admission.hold(this.route, index, nowMs, client, serviceMs)
    if ('kind' in outcome) return this.#conclude(asked, outcome, subject.url, nowMs)
    const judgement = this.#await(asked, outcome, subject)
    // A Worker's JavaScript stops when its client resets, unless something still waits for it.
    background.waitUntil(judgement)
    return judgement
  }

  async #await(
    asked: Asked,
    held: WaitingRequest,
    { request, url }: RequestView,
  ): Promise<Judgement> {
    const { admission } = this.link
    const verdict = await awaitVerdict(held, admission, this.runtime, request.signal)
    if (verdict !== null) return this.#conclude(asked, verdict, url, this.runtime.now())
    // Nobody is there any more to be let in or to be told.
    const { tally, className } = asked
    return keptOut(REFUSE.batch, tally, className, 0, null)
  }

  /** Everything before the draw. */
  #asks(subject: RequestView, nowMs: number): Judgement | Asked {
    const { route } = this
    if (route.mode === 'off') return uncounted(ADMIT.off)
    if (this.#bypass !== null && this.#bypass.first(subject) >= 0) return uncounted(ADMIT.bypass)
    const index = this.#rules.first(subject)
    const tally = this.#tally.classes[index]!
    const className = route.classes[index]!.name
    const serviceMs = this.link.sizes?.estimateMs(route.name, subject.url.path) ?? 0
    const { cookies } = subject
    if (route.granularity === 'session') {
      const session = this.#sessions.read(cookies, nowMs)
      if (session !== null) {
        this.#tally.sessionRequest(nowMs - session.issuedAtMs)
        tally.judged(ADMIT.session)
        return letIn(ADMIT.session, tally, className, session, serviceMs)
      }
    }
    const waitS = this.#notes.waitS(cookies, nowMs)
    if (waitS > 0 && route.mode === 'enforce') {
      tally.early++
      tally.judged(REFUSE.early)
      return keptOut(REFUSE.early, tally, className, waitS, null)
    }
    const isContested = this.#clients !== null && this.link.admission.isContested
    const client = isContested ? this.#clients.of(subject) : null
    return { verdict: null, index, tally, className, serviceMs, client }
  }

  /** What follows from the verdict. */
  #conclude(asked: Asked, verdict: Verdict, { isSecure }: UrlParts, nowMs: number): Judgement {
    const { route } = this
    const { tally, className, serviceMs } = asked
    tally.judged(verdict)
    if (verdict === REFUSE.fairness && route.mode === 'enforce') tally.overQuota++
    else {
      tally.offered++
      tally.offeredUs += Math.round(serviceMs * 1000)
    }
    if (verdict.kind === 'refuse' && route.mode === 'enforce') {
      const retryAfterS = this.#refusals.retryAfterS(this.runtime.coin())
      const note = this.#notes.write(retryAfterS, nowMs, isSecure)
      return keptOut(verdict, tally, className, retryAfterS, note)
    }
    tally.admitted++
    if (verdict.kind === 'refuse') tally.wouldRefuse++
    if (verdict === ADMIT.guaranteed) tally.guaranteed++
    if (route.granularity === 'session') this.#tally.sessionRequest(0)
    return letIn(verdict, tally, className, null, serviceMs)
  }

  /** Is the request kept out? In `observe` nobody is. */
  isRefused({ verdict }: Judgement): boolean {
    return verdict.kind === 'refuse' && this.route.mode === 'enforce'
  }

  refuse(request: Request, judgement: Judgement): Response {
    const { verdict, retryAfterS, note } = judgement
    if (verdict.kind !== 'refuse') throw new Error('An admitted request is not refused')
    return this.#refusals.answer(request, verdict.reason, retryAfterS, note)
  }

  /** An admitted request goes to the origin; null: it is not counted. */
  open({ tally, serviceMs }: Judgement, nowMs: number): RequestRecord | null {
    return tally === null ? null : tally.open(nowMs, serviceMs, this.link.sizes?.others ?? 0)
  }

  /** The origin has answered. */
  answered(path: string, ticket: RequestRecord | null, response: Response): void {
    if (ticket !== null) this.link.sizes?.observe(this.route.name, path, ticket, response)
  }

  /** The cookie that this answer must set, if any: a new session's, or a known one's, renewed. */
  cookieFor(
    { isSecure }: UrlParts,
    { className, session, tally }: Judgement,
    nowMs: number,
  ): string | null {
    if (this.route.granularity !== 'session' || tally === null || className === null) return null
    if (session === null) return this.#sessions.begin(className, nowMs, isSecure)
    if (!this.#sessions.isDueForRenewal(session, nowMs)) return null
    return this.#sessions.renew(session, nowMs, isSecure)
  }

  /** Is it known beforehand that the gate has something to say with the answer? */
  writesTo({ session, tally }: Judgement): boolean {
    const { granularity, verdictHeader } = this.route
    return verdictHeader || (granularity === 'session' && session === null && tally !== null)
  }

  /**
   * Puts on an answer what the gate has to say. The answer is left as it is where that is nothing; one that is not
   * ours to write to is copied. `ours`: its headers, where we may write to them.
   */
  dress(
    response: Response,
    judgement: Judgement,
    cookie: string | null,
    ours: Headers | null = null,
  ): Response {
    const { verdictHeader } = this.route
    if (cookie === null && !verdictHeader) return response
    if (ours === null && response.status === 101) return response
    const dressed = ours === null ? new Response(response.body, response) : response
    const headers = ours ?? dressed.headers
    if (cookie !== null) {
      headers.append('Set-Cookie', cookie)
      keepPrivate(headers)
    }
    if (verdictHeader) headers.set('Tidegate-Verdict', verdictText(judgement.verdict))
    return dressed
  }
}
