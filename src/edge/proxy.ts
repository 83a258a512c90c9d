import { forward, type NoAnswer } from '../origin/forward.ts'
import { probeDown } from '../origin/probe.ts'
import { Tries } from '../origin/tries.ts'
import { originProblem } from './answers.ts'
import type { Subject } from './classify.ts'
import type { Judgement, RouteGate } from './gate.ts'
import type { Background } from './rim.ts'

/**
 * Classify, decide, forward, measure: the whole way of a request through the stand-alone gate. Whoever is refused
 * at once is answered at once, and waits for no promise.
 */
export function proxy(
  gate: RouteGate,
  subject: Subject,
  background: Background,
): Response | Promise<Response> {
  const nowMs = gate.rim.now()
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
  subject: Subject,
  background: Background,
): Promise<Response> {
  await gate.link.followCached()
  const judgement = await gate.police(subject, gate.rim.now(), background)
  return answer(gate, subject, judgement, background, gate.rim.now())
}

async function whenJudged(
  gate: RouteGate,
  subject: Subject,
  judged: Promise<Judgement>,
  background: Background,
): Promise<Response> {
  const judgement = await judged
  return answer(gate, subject, judgement, background, gate.rim.now())
}

function answer(
  gate: RouteGate,
  subject: Subject,
  judgement: Judgement,
  background: Background,
  nowMs: number,
): Response | Promise<Response> {
  if (gate.isRefused(judgement)) return gate.refuse(subject.request, judgement)
  return send(gate, subject, judgement, background, nowMs)
}

async function send(
  gate: RouteGate,
  asked: Subject,
  judgement: Judgement,
  background: Background,
  nowMs: number,
): Promise<Response> {
  const { request, url } = asked
  const pool = gate.pool!
  const server = pool.pick(gate.rim.coin())
  const ticket = gate.open(judgement, nowMs)
  const isWrittenTo = gate.writesTo(judgement)
  if (pool.hasDown) probeDown(pool, nowMs, background)
  const answered = await forward(request, `${server}${url.target}`, {
    asked,
    tries: triesAt(gate, server, request, url.target),
    ticket,
    background,
    timeoutMs: pool.timeoutMs,
    openedAtMs: nowMs,
    now: gate.rim.now,
    isWatched: ticket !== null && gate.watch.next(nowMs),
    isWrittenTo,
    open: gate.link.open,
  })
  const cookie = gate.cookieFor(url, judgement, gate.rim.now())
  if (typeof answered === 'string')
    return gate.dress(problem(request, answered), judgement, cookie, true)
  gate.answered(url.path, ticket, answered)
  return gate.dress(answered, judgement, cookie, isWrittenTo)
}

/** Whoever has gone gets nothing of it: it does not matter what it says then. */
function problem(request: Request, why: NoAnswer): Response {
  return originProblem(request, why === 'too-slow' ? 'too-slow' : 'unreachable')
}

/** A single server has no other beside it, and nobody asks how it is. */
function triesAt(gate: RouteGate, server: string, request: Request, target: string): Tries | null {
  const pool = gate.pool!
  if (pool.tally === null) return null
  return new Tries({ request, pool, server, target, coin: gate.rim.coin }, pool.tally)
}
