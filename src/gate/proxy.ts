import type { Background } from '../lib/runtime.ts'
import { Failover } from '../origin/failover.ts'
import { isNotReached } from '../origin/fetch-or-throw.ts'
import { type Destination, forward, type OutgoingBody } from '../origin/forward.ts'
import type { NoAnswer } from '../origin/forwarded.ts'
import { probeServers } from '../origin/health-probe.ts'
import { bodySizeOf, readSmallBody } from '../origin/request-body.ts'
import { startUpload } from '../origin/upload.ts'
import type { RequestView } from '../request/request-view.ts'
import { lighterTarget } from './detour.ts'
import { methodNotAllowed, noAnswer } from './error-response.ts'
import { faultRefusal, judgeFault, reportFault } from './fault.ts'
import { insteadOfRefusal } from './instead-of-refusal.ts'
import { withoutCommands } from './origin-answer.ts'
import { passRedirect } from './pass-redirect.ts'
import { qualityHeader } from './quality-header.ts'
import type { RouteGate } from './route-gate.ts'
import { TROUBLES, unreachableLine } from './trouble-log.ts'
import type { Visit } from './visit.ts'

/** Handles a request in the stand-alone gate. An exception in the gate follows the route's `failure` rule. */
export function proxy(
  gate: RouteGate,
  view: RequestView,
  background: Background,
): Response | Promise<Response> {
  const afterFault = (error: unknown) => answerFault(gate, view, background, error)
  try {
    const answer = handle(gate, view, background)
    return answer instanceof Promise ? answer.catch(afterFault) : answer
  } catch (error) {
    return afterFault(error)
  }
}

/** Decides, then refuses the request, or forwards and measures it. */
function handle(
  gate: RouteGate,
  view: RequestView,
  background: Background,
): Response | Promise<Response> {
  if (!isForwardable(view.request.method, gate)) return methodNotAllowed(view.request)
  const { runtime, reporter } = gate
  const redirect = passRedirect(view, runtime.now())
  if (redirect !== null) return redirect
  reporter.touch(background, runtime.now())
  const answer = (visit: Visit): Response | Promise<Response> => {
    if (gate.origin.commands.hasUnsent) reporter.hurry(background)
    if (visit.mayGetInstead) return detour(gate, view, visit, background)
    return visit.ownAnswer(runtime.now()) ?? settled(gate, view, visit, background)
  }
  const decideAndAnswer = (): Response | Promise<Response> => {
    const decided = gate.decide(view, runtime.now())
    return decided instanceof Promise
      ? keepAlive(decided, background).then(answer)
      : answer(decided)
  }
  const wanted = gate.wantsNewPlan(view, runtime.now())
  if (wanted === null) return decideAndAnswer()
  const renewed = reporter.renew(background, gate.route.startup === 'cached')
  return wanted === 'first' ? renewed.then(decideAndAnswer) : decideAndAnswer()
}

/** TRACE shows headers that scripts must not read. PURGE lets anybody empty a cache that trusts the gate's address. */
function isForwardable(method: string, { origin: { pool } }: RouteGate): boolean {
  return method !== 'TRACE' && (method !== 'PURGE' || pool!.takesPurge)
}

/** A refused request gets something else, if there is anything. */
async function detour(
  gate: RouteGate,
  view: RequestView,
  visit: Visit,
  background: Background,
): Promise<Response> {
  const instead = await keepAlive(insteadOfRefusal(gate, view, background), background)
  if (instead !== null) return visit.instead(instead)
  return visit.ownAnswer(gate.runtime.now()) ?? settled(gate, view, visit, background)
}

/** Whatever happens in the exchange, the request is settled. */
function settled(
  gate: RouteGate,
  view: RequestView,
  visit: Visit,
  background: Background,
): Promise<Response> {
  return exchange(gate, view, visit, background).catch((error: unknown) => {
    visit.settle('abandoned', gate.runtime.now())
    throw error
  })
}

async function answerFault(
  gate: RouteGate,
  view: RequestView,
  background: Background,
  error: unknown,
): Promise<Response> {
  const { request } = view
  const refusal = judgeFault(gate, view, error)
  if (refusal !== null) return refusal
  if (request.bodyUsed) return faultRefusal(gate, request)
  return exchangeUnmeasured(gate, view, background).catch(() => faultRefusal(gate, request))
}

/** Forwards a request with as little of the gate as possible. It is not counted as a request to the origin. */
async function exchangeUnmeasured(
  gate: RouteGate,
  view: RequestView,
  background: Background,
): Promise<Response> {
  const { runtime } = gate
  const { timeoutMs, dropped } = gate.origin.pool!
  const url = `${gate.origin.pool!.pick(runtime.coin, runtime.now(), null)}${view.url.target}`
  const body = await receive(gate, view, background)
  if (typeof body === 'string') return noAnswer(view.request, body)
  const { now } = runtime
  const to = { url, timeoutMs, dropped, send: sendOnce, background, now, uploaded: () => {} }
  const result = await forward(view, body, to, null)
  if (result.response === null) return noAnswer(view.request, result.why)
  return withoutCommands(result.response)
}

/** Forwards an admitted request to the origin, and returns the answer. */
async function exchange(
  gate: RouteGate,
  view: RequestView,
  visit: Visit,
  background: Background,
): Promise<Response> {
  const { runtime } = gate
  const pool = gate.origin.pool!
  const server = pool.pick(runtime.coin, runtime.now(), visit.pinned)
  visit.servedBy(server)
  if (pool.hasDown || pool.healthCheck !== null)
    probeServers(pool, runtime.now(), gate.origin.share, background)
  const quality = visit.quality
  const target =
    quality?.isLowest && gate.lighterPath !== null
      ? lighterTarget(gate.lighterPath, view)
      : view.url.target
  const failover =
    pool.counters === null
      ? null
      : new Failover(pool, server, target, runtime.coin, view.request.signal)
  const destination: Destination = {
    url: `${server}${target}`,
    timeoutMs: pool.timeoutMs,
    dropped: pool.dropped,
    quality: quality === null ? null : qualityHeader(quality),
    send: failover === null ? sendOnce : (outgoing, signal) => failover.send(outgoing, signal),
    background,
    now: runtime.now,
    uploaded: () => visit.begin(runtime.now()),
  }
  const body = await receive(gate, view, background)
  if (typeof body === 'string') return visit.unanswered(body, runtime.now())
  const isWhole = body === null || body instanceof Uint8Array
  if (isWhole) visit.begin(runtime.now())
  const close = isWhole ? null : gate.openUpload(view)
  const sentAtMs = runtime.now()
  pool.begin(server)
  pool.counters?.sent(server)
  const result = await forward(view, body, destination, visit.sweepable)
  const answeredAtMs = runtime.now()
  const isTimed = result.response !== null && result.isTimely
  pool.end(server, isTimed ? answeredAtMs - sentAtMs : null, answeredAtMs)
  close?.()
  if (result.response !== null) {
    if (isNotReached(result.response.status)) logUnreachable(server, result.response.status, gate)
    // A lighter answer must not be given later as if it were the whole one.
    const stored = quality === null ? gate.stored?.keep(view, result.response, runtime.now()) : null
    if (stored) background.waitUntil(stored)
    const answer = answerOf(gate, visit, result.response, result.isTimely)
    if (gate.origin.commands.hasUnsent) gate.reporter.hurry(background)
    gate.reporter.ended(background, gate.route, visit.classIndex)
    return answer
  }
  failover?.end(result.why === 'too-slow')
  if (result.why === 'unreachable') logUnreachable(server, result.cause, gate)
  const answer = visit.unanswered(result.why, runtime.now())
  gate.reporter.ended(background, gate.route, visit.classIndex)
  return answer
}

/** Where the gate fails at its own part of an answer, the visitor gets the origin's part. */
function answerOf(gate: RouteGate, visit: Visit, response: Response, isTimely: boolean): Response {
  try {
    return visit.answered(response, gate.runtime.now(), isTimely)
  } catch (error) {
    reportFault(gate, error)
    visit.settle('served', gate.runtime.now())
    return withoutCommands(response)
  }
}

/** A small body is read first. A large one streams while it arrives. */
function receive(
  { route: { upload: rules }, runtime, origin }: RouteGate,
  { request }: RequestView,
  background: Background,
): Promise<OutgoingBody | NoAnswer> | OutgoingBody | NoAnswer {
  const size = bodySizeOf(request)
  if (size === 'none') return null
  const { now } = runtime
  if (request.method === 'GET' || request.method === 'HEAD') {
    if (size === 'large') return 'unsendable'
    // The runtime forwards the body of a GET request only with the request itself. The copy makes sure that it is there.
    const reading = readSmallBody(request.clone(), { rules, background, now })
    return reading.then((body) => (typeof body === 'string' ? body : null))
  }
  if (size === 'small') return readSmallBody(request, { rules, background, now })
  const { timeoutMs } = origin.pool!
  return startUpload(request.body!, request.headers, { rules, timeoutMs, now })
}

function logUnreachable(server: string, cause: unknown, { runtime }: RouteGate): void {
  TROUBLES.say(server, runtime.now(), () => unreachableLine(server, cause))
}

const sendOnce = (outgoing: Request, signal: AbortSignal | null): Promise<Response> =>
  signal === null ? fetch(outgoing) : fetch(outgoing, { signal })

/** When a client leaves, the runtime stops the JavaScript of its request, unless `waitUntil` has a promise of it. */
function keepAlive<Value>(work: Promise<Value>, background: Background): Promise<Value> {
  background.waitUntil(work.catch(() => {}))
  return work
}
