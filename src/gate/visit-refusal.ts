import { soldOutResponse } from './sold-out-response.ts'
import { classNameOf, type Visited } from './visited.ts'
import { closedResponse } from './waiting/closed-response.ts'
import type { WaitingVisit } from './waiting/waiting-response.ts'

/** The answer to a refused request, with the retry cookie or the ticket. */
export function refusalOf(visited: Visited, nowMs: number): Response {
  const { gate, verdict, candidate } = visited
  const className = classNameOf(visited)
  if (verdict.kind === 'queue') return waitingAnswer(visited, verdict, nowMs)
  if (verdict.kind !== 'refuse') throw new Error('An admitted request cannot be refused')
  const { refusals, retries, runtime, route } = gate
  const { request, url, cookies } = visited.view
  if (verdict.reason === 'event') {
    const phase = gate.phaseAt(nowMs)
    const reopensMs = phase?.kind === 'closed' ? phase.reopensMs : nowMs
    return closedResponse(request, route, className, reopensMs, nowMs)
  }
  if (verdict.reason === 'sold-out') return soldOutResponse(request, route, className)
  if (candidate?.isEarly) {
    const waitS = retries.waitS(cookies, nowMs, url.isSecure)
    return refusals.answer(request, verdict.reason, className, waitS, null)
  }
  const retryAfterS = refusals.retryAfterS(runtime.coin())
  const cookie = retries.write(retryAfterS, nowMs, url.isSecure)
  return refusals.answer(request, verdict.reason, className, retryAfterS, cookie)
}

function waitingAnswer(
  visited: Visited,
  verdict: WaitingVisit['verdict'],
  nowMs: number,
): Response {
  const { admission, waitingAnswers } = visited.gate
  const tickets = visited.gate.tickets!
  const candidate = visited.candidate!
  const waiting = admission.wait(candidate, verdict, nowMs)
  const signedTicket = tickets.sign(waiting.ticket)
  const { request, url } = visited.view
  return waitingAnswers.answer({
    ...{ request, verdict, waiting, signedTicket, nowMs },
    className: classNameOf(visited),
    cookie: tickets.write(signedTicket, waiting.ticket, url.isSecure),
    opensMs: candidate.opensMs ?? null,
  })
}
