import type { Background } from '../lib/runtime.ts'
import { Failover } from '../origin/failover.ts'
import { type Destination, forward } from '../origin/forward.ts'
import { probeDown } from '../origin/health-probe.ts'
import type { RequestView } from '../request/request-view.ts'
import { methodNotAllowed } from './error-response.ts'
import type { RouteGate } from './route-gate.ts'
import type { Visit } from './visit.ts'

/** Handles a request in the stand-alone gate: decides, then refuses it, or forwards and measures it. */
export function proxy(
  gate: RouteGate,
  view: RequestView,
  background: Background,
): Response | Promise<Response> {
  if (!isForwardable(view.request.method, gate)) return methodNotAllowed(view.request)
  const { runtime, reporter, wantsCachedPlan } = gate
  reporter.touch(background, runtime.now())
  const answer = (visit: Visit): Response | Promise<Response> =>
    visit.isRefused ? visit.refusal(runtime.now()) : exchange(gate, view, visit, background)
  const decideAndAnswer = (): Response | Promise<Response> => {
    const decided = gate.decide(view, runtime.now())
    return decided instanceof Promise
      ? keepAlive(decided, background).then(answer)
      : answer(decided)
  }
  return wantsCachedPlan ? reporter.followCached().then(decideAndAnswer) : decideAndAnswer()
}

/** TRACE shows headers that scripts must not read. PURGE lets anybody empty a cache that trusts the gate's address. */
function isForwardable(method: string, { origin: { pool } }: RouteGate): boolean {
  return method !== 'TRACE' && (method !== 'PURGE' || pool!.takesPurge)
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
  const server = pool.pick(runtime.coin())
  if (pool.hasDown) probeDown(pool, runtime.now(), background)
  const { target } = view.url
  const failover =
    pool.counters === null
      ? null
      : new Failover(pool, server, target, runtime.coin, view.request.signal)
  const destination: Destination = {
    url: `${server}${target}`,
    timeoutMs: pool.timeoutMs,
    dropped: pool.dropped,
    send: failover === null ? sendOnce : (outgoing, signal) => failover.send(outgoing, signal),
    background,
    now: runtime.now,
  }
  visit.begin(runtime.now())
  const result = await forward(view, destination, visit.sweepable)
  if (result.response !== null)
    return visit.answered(result.response, runtime.now(), result.isTimely)
  failover?.end(result.why === 'too-slow')
  return visit.unanswered(result.why, runtime.now())
}

const sendOnce = (outgoing: Request, signal: AbortSignal | null): Promise<Response> =>
  signal === null ? fetch(outgoing) : fetch(outgoing, { signal })

/** When a client leaves, the runtime stops the JavaScript of its request, unless `waitUntil` has a promise of it. */
function keepAlive<Value>(work: Promise<Value>, background: Background): Promise<Value> {
  background.waitUntil(work)
  return work
}
