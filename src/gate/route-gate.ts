import { Preflights } from '../admission/preflights.ts'
import type { EventPhase } from '../admission/queue/event-phase.ts'
import type { Ticket } from '../admission/queue/ticket.ts'
import type { Candidate, RouteAdmission } from '../admission/route-admission.ts'
import { SessionRates, type SessionUse } from '../admission/session-rates.ts'
import type { Mode, Route } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import type { Signer } from '../lib/signer.ts'
import { PathTiers } from '../measure/path-tiers.ts'
import type { VerdictSamples } from '../measure/verdict-samples.ts'
import { OpenUploads } from '../origin/open-uploads.ts'
import { bodySizeOf } from '../origin/request-body.ts'
import type { ChallengePort } from '../protocol/challenge-port.ts'
import { ADMIT, REFUSE, type Verdict } from '../protocol/verdict.ts'
import { ClientKeys } from '../request/client-key.ts'
import { MatchRules } from '../request/match-rules.ts'
import type { RequestView } from '../request/request-view.ts'
import { isPreflight } from './cors.ts'
import { hasDetour } from './detour.ts'
import { FaultLimit } from './fault-limit.ts'
import type { OriginState } from './origin-state.ts'
import type { HeldPass, RoutePasses } from './passes.ts'
import { RefusalResponses } from './refusal-response.ts'
import type { Reporter } from './reporter.ts'
import { RetryCookies } from './retry-cookie.ts'
import { RouteClasses } from './route-classes.ts'
import { type Session, SessionCookies } from './session-cookie.ts'
import { StoredAnswers } from './stored-answers.ts'
import { Visit } from './visit.ts'
import type { VisitedRoute } from './visited.ts'
import { TicketChallenge } from './waiting/ticket-challenge.ts'
import { TICKET_HEADER, TicketCookies } from './waiting/ticket-cookie.ts'
import { WaitingResponses } from './waiting/waiting-response.ts'

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
  readonly verdicts: VerdictSamples
  readonly passes: RoutePasses
  /** null: the route has no waiting room. */
  readonly tickets: TicketCookies | null
  readonly waitingAnswers: WaitingResponses
  readonly hasDetour: boolean
  readonly faultLimit: FaultLimit
  /** null: no answers are stored. */
  readonly stored: StoredAnswers | null
  /** The path at the same origin for the lowest quality; null: none. */
  readonly lighterPath: string | null
  /** null: no class depends on it. */
  readonly tiers: PathTiers | null
  readonly #bypass: MatchRules | null
  readonly #classes: RouteClasses
  /** null: the route has no fairness. */
  readonly #clients: ClientKeys | null
  readonly #uploads: OpenUploads
  /** null: a ticket gets its place without a challenge. */
  readonly #challenge: TicketChallenge | null
  /** Address ranges, for uploads and the bound on sessions. */
  readonly #ranges: ClientKeys
  readonly #addresses: ClientKeys
  /** null: no preflight has come yet. */
  #preflights: Preflights | null = null
  /** null: no session has come yet. */
  #rates: SessionRates | null = null

  constructor(
    route: Route,
    origin: OriginState,
    reporter: Reporter,
    signer: Signer,
    runtime: Runtime,
    passes: RoutePasses,
    answers: (() => Cache) | null,
    challenge: ChallengePort | null = null,
  ) {
    this.route = route
    this.origin = origin
    this.reporter = reporter
    this.passes = passes
    this.hasDetour = hasDetour(route)
    this.faultLimit = new FaultLimit(runtime.now())
    const { stored = null, lighter = null } = route.degrade ?? {}
    this.stored = stored && answers && new StoredAnswers(route.name, stored.maxAgeMs, answers)
    this.lighterPath = lighter !== null && lighter.origin === null ? lighter.path : null
    this.runtime = runtime
    this.admission = origin.admissionOf(route.name)
    this.sessions = new SessionCookies(route, signer, runtime, () => this.mode)
    this.retries = new RetryCookies(route, signer)
    this.refusals = new RefusalResponses(route)
    this.verdicts = origin.countersOf(route.name).samples
    this.tickets = route.whenFull.at(-1) === 'queue' ? new TicketCookies(route, signer) : null
    this.waitingAnswers = new WaitingResponses(route)
    const { turnstile } = route.waitingRoom
    this.#challenge =
      turnstile === null || challenge === null ? null : new TicketChallenge(turnstile, challenge)
    this.tiers = route.classes.some(({ match }) => match.tier) ? new PathTiers() : null
    this.#bypass = route.bypass.length > 0 ? new MatchRules(route.bypass) : null
    this.#classes = new RouteClasses(route.classes, this.tiers)
    this.#clients =
      route.fairness === null ? null : new ClientKeys(route.fairness.by, runtime.coin())
    this.#uploads = new OpenUploads(route.upload)
    this.#ranges = new ClientKeys('range', runtime.coin())
    this.#addresses = new ClientKeys('ip', runtime.coin())
  }

  /** The mode in force: the configured one, unless an operator set another. */
  get mode(): Mode {
    return this.admission.mode
  }

  /**
   * What operators and origins command holds for whoever comes 2 s later, so a decision needs a plan of the last second. An
   * isolate with little traffic has an older one. `first`: the request waits for a newer plan. `meanwhile`: it does not,
   * because known sessions never wait where the origin has not ended any. null: no newer plan is needed.
   */
  wantsNewPlan(view: RequestView, nowMs: number): 'first' | 'meanwhile' | null {
    if (!this.reporter.isPlanOld(nowMs)) return null
    if (this.#bypass !== null && this.#isBypassed(this.#bypass, view)) return null
    const { admission, commands } = this.origin
    const isSure = !admission.soldOut.isAny && !commands.isUsed && this.hasSession(view, nowMs)
    if (!isSure) return 'first'
    // Without calm a report is on its way.
    return this.reporter.isCalm ? 'meanwhile' : null
  }

  /** With batches, and for a draw that needs a newer plan, the decision may take a moment. */
  decide(view: RequestView, nowMs: number): Visit | Promise<Visit> {
    const uncounted = this.#uncounted(view, nowMs)
    if (uncounted !== null) return new Visit(this, view, uncounted, null, null)
    const session = this.#sessionOf(view, nowMs)
    // A visitor with a session passes anyway.
    const pass = session === null ? this.passes.find(view, nowMs) : null
    if (pass === null) return this.#decideOn(view, session, null, nowMs)
    if (!this.passes.isClaimed(pass))
      return this.#decideOn(view, null, { pass, ...UNCLAIMED }, nowMs)
    return this.passes
      .claim(pass, view, nowMs)
      .then((held) => this.#decideOn(view, null, held, this.runtime.now()))
  }

  #decideOn(
    view: RequestView,
    session: Session | null,
    held: HeldPass | null,
    nowMs: number,
  ): Visit | Promise<Visit> {
    const asking = this.#candidate(view, session, held, nowMs)
    const proved = this.#challenge === null ? asking : this.#challenge.prove(asking, view)
    return proved instanceof Promise
      ? proved.then((late) => this.#decideProved(view, late, session, held, this.runtime.now()))
      : this.#decideProved(view, proved, session, held, nowMs)
  }

  #decideProved(
    view: RequestView,
    candidate: Candidate,
    session: Session | null,
    held: HeldPass | null,
    nowMs: number,
  ): Visit | Promise<Visit> {
    if (this.admission.wantsAnswer(candidate, nowMs))
      return this.reporter
        .ask(this.route.startup === 'cached', this.admission.keyOf(candidate))
        .then(() => this.#decideNow(view, candidate, session, held, this.runtime.now()))
    return this.#decideNow(view, candidate, session, held, nowMs)
  }

  #decideNow(
    view: RequestView,
    asking: Candidate,
    session: Session | null,
    held: HeldPass | null,
    nowMs: number,
  ): Visit | Promise<Visit> {
    const phase = session === null ? this.phaseAt(nowMs) : null
    const candidate = phase === null ? asking : duringEvent(asking, phase)
    if (candidate.isClosed) {
      const verdict = this.admission.refuse(candidate, REFUSE.event)
      return new Visit(this, view, verdict, candidate, session, held)
    }
    if (!this.#hasUploadRoom(view)) {
      const verdict = this.admission.refuse(candidate, REFUSE.uploads)
      return new Visit(this, view, verdict, candidate, session, held)
    }
    const verdict = this.admission.decide(candidate, nowMs, view.request)
    return verdict instanceof Promise
      ? verdict.then((late) => new Visit(this, view, late, candidate, session, held))
      : new Visit(this, view, verdict, candidate, session, held)
  }

  hasSession(view: RequestView, nowMs: number): boolean {
    return this.#sessionOf(view, nowMs) !== null
  }

  /** A session that the origin has ended is none any more. */
  #sessionOf(view: RequestView, nowMs: number): Session | null {
    if (this.route.granularity !== 'session') return null
    const inHeader = this.tickets === null ? null : view.headers.get(TICKET_HEADER)
    const session =
      this.sessions.read(view.cookies, nowMs, view.url.isSecure) ??
      (inHeader === null ? null : this.sessions.readText(inHeader, nowMs))
    return session === null || this.origin.commands.isRevoked(session.id) ? null : session
  }

  /** Takes a place for a large upload. The returned function gives it back. */
  openUpload(view: RequestView): () => void {
    return this.#uploads.open(this.#ranges.of(view))
  }

  #hasUploadRoom(view: RequestView): boolean {
    if (bodySizeOf(view.request) !== 'large') return true
    return this.#uploads.hasRoom(this.#ranges.of(view))
  }

  /** The verdict on requests that the gate does not count. */
  #uncounted(view: RequestView, nowMs: number): Verdict | null {
    if (this.mode === 'off') return ADMIT.off
    if (this.#bypass !== null && this.#isBypassed(this.#bypass, view)) return ADMIT.bypass
    return isPreflight(view) && this.#passesPreflight(view, nowMs) ? ADMIT.preflight : null
  }

  #passesPreflight(view: RequestView, nowMs: number): boolean {
    this.#preflights ??= new Preflights(this.runtime.coin(), nowMs)
    return this.#preflights.pass(this.#addresses.of(view), nowMs)
  }

  /** A bypass must match every reading of the path: the origin may take any of them. */
  #isBypassed(bypass: MatchRules, view: RequestView): boolean {
    return view.url.readings.every((path) => bypass.first(view, path) >= 0)
  }

  #useOf(view: RequestView, session: Session, nowMs: number): SessionUse {
    this.#preflights?.earn()
    const { session: rules } = this.route
    this.#rates ??= new SessionRates(rules, this.runtime.coin(), nowMs)
    const range = this.#rates.needsRange ? this.#ranges.of(view) : null
    return this.#rates.use(session.id, range, nowMs, this.admission.isPressed)
  }

  /** A visitor waits in the class of the ticket. With a better class, for example of a pass, the ticket moves to it. */
  #ticketOf(view: RequestView, asked: number, nowMs: number): Ticket | null {
    if (this.tickets === null) return null
    const header = view.headers.get(TICKET_HEADER)
    const ticket = this.tickets.read(view.cookies, header, view.url.isSecure, nowMs)
    if (ticket === null || this.origin.commands.isRevoked(ticket.id)) return null
    const own = this.#classes.named(ticket.className)
    if (!this.#classes.isLessFavoured(own, asked)) return ticket
    this.admission.leaveClass(own, ticket)
    return { ...ticket, className: this.route.classes[asked]!.name }
  }

  #candidate(
    view: RequestView,
    session: Session | null,
    held: HeldPass | null,
    nowMs: number,
  ): Candidate {
    const { costs } = this.origin
    const pass = held?.pass ?? null
    const asked = this.#classes.of(view, pass)
    const ticket = session === null ? this.#ticketOf(view, asked, nowMs) : null
    const classIndex = ticket === null ? asked : this.#classes.named(ticket.className)
    const serviceMs = costs === null ? 0 : costs.estimateMs(this.route.name, view.url.path)
    if (session !== null) {
      const sessionAgeMs = nowMs - session.issuedAtMs
      const use = this.#useOf(view, session, nowMs)
      return { classIndex, sessionAgeMs, use, isEarly: false, client: null, serviceMs }
    }
    const isEarly = this.retries.waitS(view.cookies, nowMs, view.url.isSecure) > 0
    const isClientNeeded = this.#clients !== null && this.admission.isContested
    const client = isClientNeeded ? this.#clients.of(view) : null
    const skips = pass?.skip === true
    // The place of a key begins where it was first presented, on whichever device.
    const place =
      held !== null && held.holder !== null && held.sinceMs !== null
        ? { id: held.holder, sinceMs: held.sinceMs }
        : null
    const asking = { classIndex, sessionAgeMs: null, isEarly, client, serviceMs }
    return { ...asking, skips, ticket, place }
  }

  /** What events make of the route now: those of the configuration, and those that operators made. */
  phaseAt(nowMs: number): EventPhase | null {
    return this.origin.eventsOf(this.route.name).phaseAt(nowMs)
  }
}

const duringEvent = (asking: Candidate, phase: EventPhase): Candidate =>
  phase.kind === 'closed' ? { ...asking, isClosed: true } : { ...asking, opensMs: phase.opensMs }

/** A pass that anybody may use needs no holder. */
const UNCLAIMED = { holder: null, isNew: false, sinceMs: null } as const
