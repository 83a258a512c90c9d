import { ADMIT, REFUSE } from '../protocol/verdict.ts'
import type { RequestView } from '../request/request-view.ts'
import type { RouteGate } from './route-gate.ts'
import { faultLine, TROUBLES } from './trouble-log.ts'

/**
 * An exception in the gate must not become an error for the visitor: the route's `failure` rule decides, and the verdict is
 * counted with the reason `fault`. Returns the refusal; null: the request goes to the origin as it is.
 */
export function judgeFault(gate: RouteGate, view: RequestView, error: unknown): Response | null {
  reportFault(gate, error)
  const isAdmitted = admits(gate, view)
  count(gate, isAdmitted)
  return isAdmitted ? null : faultRefusal(gate, view.request)
}

/** Writes the exception to the log, at most once a minute for each route. */
export function reportFault({ route, runtime }: RouteGate, error: unknown): void {
  TROUBLES.say(`fault ${route.name}`, runtime.now(), () =>
    faultLine(route.name, route.failure, error),
  )
}

/** The refusal of a request that the gate can neither judge nor forward. */
export function faultRefusal({ route, refusals }: RouteGate, request: Request): Response {
  const { retryMaxS, status } = route.refusal
  try {
    return refusals.answer(request, 'fault', null, retryMaxS, null)
  } catch {
    const headers = { 'Retry-After': String(retryMaxS), 'Cache-Control': 'no-store' }
    return new Response(null, { status, headers })
  }
}

function admits(gate: RouteGate, view: RequestView): boolean {
  const { failure } = gate.route
  const nowMs = gate.runtime.now()
  if (failure === 'open' || passesAnyway(gate, view, nowMs)) return true
  return failure === 'local' && gate.faultLimit.admits(nowMs)
}

/** Nobody is refused outside of `enforce`, and no admitted session is. The exception may come from these very checks. */
function passesAnyway(gate: RouteGate, view: RequestView, nowMs: number): boolean {
  try {
    return gate.mode !== 'enforce' || gate.hasSession(view, nowMs)
  } catch {
    return false
  }
}

/** In the last class, which takes what matches no other. */
function count({ origin, route }: RouteGate, isAdmitted: boolean): void {
  const counters = origin.countersOf(route.name).classes.at(-1)!
  counters.countVerdict(isAdmitted ? ADMIT.fault : REFUSE.fault)
}
