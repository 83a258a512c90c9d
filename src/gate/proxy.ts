import type { Background } from '../lib/runtime.ts'
import type { OpenRequests } from '../measure/open-requests.ts'
import type { RequestRecord } from '../measure/request-record.ts'
import { Failover } from '../origin/failover.ts'
import { forward, type NoAnswer, type Passage } from '../origin/forward.ts'
import { probeDown } from '../origin/health-probe.ts'
import type { RequestView } from '../request/match-rules.ts'
import type { Judgement, RouteGate } from './gate.ts'
import { originProblem } from './refusal-response.ts'

/**
 * Classify, decide, forward, measure: the whole way of a request through the stand-alone gate. Whoever is refused
 * at once is answered at once, and waits for no promise.
 */
export function proxy(
  gate: RouteGate,
  subject: RequestView,
  background: Background,
): Response | Promise<Response> {
  const nowMs = gate.runtime.now()
  const { wantsCachedPlan } = gate
  gate.link.touch(background, nowMs)
  if (wantsCachedPlan) return withCachedPlan(gate, subject, background)
  const judged = gate.police(subject, nowMs, background)
  return judged instanceof Promise
    ? whenJudged(gate, subject, judged, background)
    : answer(gate, subject, judged, background, nowMs)
}

async function withCachedPlan(
  gate: RouteGate,
  subject: RequestView,
  background: Background,
): Promise<Response> {
  await gate.link.followCached()
  const judgement = await gate.police(subject, gate.runtime.now(), background)
  return answer(gate, subject, judgement, background, gate.runtime.now())
}

async function whenJudged(
  gate: RouteGate,
  subject: RequestView,
  judged: Promise<Judgement>,
  background: Background,
): Promise<Response> {
  const judgement = await judged
  return answer(gate, subject, judgement, background, gate.runtime.now())
}

function answer(
  gate: RouteGate,
  subject: RequestView,
  judgement: Judgement,
  background: Background,
  nowMs: number,
): Response | Promise<Response> {
  if (gate.isRefused(judgement)) return gate.refuse(subject.request, judgement)
  return send(gate, subject, judgement, background, nowMs)
}

function send(
  gate: RouteGate,
  subject: RequestView,
  judgement: Judgement,
  background: Background,
  nowMs: number,
): Promise<Response> {
  const pool = gate.pool!
  const server = pool.pick(gate.runtime.coin())
  if (pool.hasDown) probeDown(pool, nowMs, background)
  const tries = triesAt(gate, server, subject)
  const crossing = new Crossing(gate, subject, judgement, tries, background, nowMs)
  return forward(subject.request, `${server}${subject.url.target}`, crossing)
}

/** An admitted request goes over to the origin, and its answer comes back with what the gate has to say. */
class Crossing implements Passage {
  readonly asked: RequestView
  readonly tries: Failover | null
  readonly ticket: RequestRecord | null
  readonly background: Background
  readonly openedAtMs: number
  readonly isWatched: boolean
  readonly isWrittenTo: boolean
  readonly #gate: RouteGate
  readonly #judgement: Judgement

  constructor(
    gate: RouteGate,
    asked: RequestView,
    judgement: Judgement,
    tries: Failover | null,
    background: Background,
    nowMs: number,
  ) {
    this.#gate = gate
    this.#judgement = judgement
    this.asked = asked
    this.tries = tries
    this.background = background
    this.openedAtMs = nowMs
    this.ticket = gate.open(judgement, nowMs)
    this.isWatched = this.ticket !== null && gate.watch.next(nowMs)
    this.isWrittenTo = gate.writesTo(judgement)
  }

  get timeoutMs(): number {
    return this.#gate.pool!.timeoutMs
  }

  get open(): OpenRequests {
    return this.#gate.link.open
  }

  now(): number {
    return this.#gate.runtime.now()
  }

  answered(response: Response, ours: Headers | null, nowMs: number): Response {
    const gate = this.#gate
    const { url } = this.asked
    gate.answered(url.path, this.ticket, response)
    const cookie = gate.cookieFor(url, this.#judgement, nowMs)
    return gate.dress(response, this.#judgement, cookie, ours)
  }

  unanswered(why: NoAnswer): Response {
    const { request, url } = this.asked
    const cookie = this.#gate.cookieFor(url, this.#judgement, this.now())
    const response = problem(request, why)
    return this.#gate.dress(response, this.#judgement, cookie, response.headers)
  }
}

/** Whoever has gone gets nothing of it: it does not matter what it says then. */
function problem(request: Request, why: NoAnswer): Response {
  return originProblem(request, why === 'too-slow' ? 'too-slow' : 'unreachable')
}

/** A single server has no other beside it, and nobody asks how it is. */
function triesAt(gate: RouteGate, server: string, { request, url }: RequestView): Failover | null {
  const pool = gate.pool!
  if (pool.tally === null) return null
  const { target } = url
  return new Failover({ request, pool, server, target, coin: gate.runtime.coin }, pool.tally)
}
