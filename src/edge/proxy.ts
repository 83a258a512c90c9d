import { forward } from '../origin/forward.ts'
import { forwardedHeaders } from '../origin/headers.ts'
import { originProblem } from './answers.ts'
import type { Subject } from './classify.ts'
import type { Judgement, RouteGate } from './gate.ts'
import type { Background } from './rim.ts'

/** Classify, decide, forward, measure: the whole way of a request through the stand-alone gate. */
export async function proxy(
  gate: RouteGate,
  subject: Subject,
  background: Background,
): Promise<Response> {
  const wantsCachedPlan = gate.wantsCachedPlan
  gate.link.touch(background, gate.rim.now())
  if (wantsCachedPlan) await gate.link.followCached()
  const judged = gate.police(subject, gate.rim.now(), background)
  const judgement = judged instanceof Promise ? await judged : judged
  if (gate.isRefused(judgement)) return gate.refuse(subject.request, judgement)
  const response = await send(gate, subject, judgement, background)
  const cookie = gate.cookieFor(subject.request, judgement, gate.rim.now())
  return gate.dress(response, judgement, cookie)
}

async function send(
  gate: RouteGate,
  { request, url, ip }: Subject,
  judgement: Judgement,
  background: Background,
): Promise<Response> {
  const pool = gate.pool!
  const target = `${pool.pick(gate.rim.coin())}${url.target}`
  const headers = forwardedHeaders(request, request.headers.get('Host') ?? url.host, ip)
  const nowMs = gate.rim.now()
  const ticket = gate.open(judgement, nowMs)
  const forwarded = await forward(request, target, headers, {
    ticket,
    background,
    timeoutMs: pool.timeoutMs,
    now: gate.rim.now,
    isWatched: ticket !== null && gate.watch.next(nowMs),
    onSettled: gate.settled,
  })
  if (forwarded.kind === 'answered') {
    gate.answered(url.path, ticket, forwarded.response)
    return forwarded.response
  }
  return originProblem(request, forwarded.kind === 'too-slow' ? 'too-slow' : 'unreachable')
}
