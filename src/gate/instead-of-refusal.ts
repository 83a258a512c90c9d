import type { Route } from '../config/config.ts'
import type { Background, Runtime } from '../lib/runtime.ts'
import { forward } from '../origin/forward.ts'
import type { RequestView } from '../request/request-view.ts'
import { type Instead, lighterTarget } from './detour.ts'
import type { OriginState } from './origin-state.ts'
import type { StoredAnswers } from './stored-answers.ts'

interface DetourRoute {
  readonly route: Route
  readonly origin: OriginState
  readonly runtime: Runtime
  /** null: the route stores no answers. */
  readonly stored: StoredAnswers | null
}

/** Tries the steps of `whenFull` before the last one, in order. null: none of them has an answer. */
export async function insteadOfRefusal(
  gate: DetourRoute,
  view: RequestView,
  background: Background,
): Promise<Instead | null> {
  for (const step of gate.route.whenFull) {
    const response =
      step === 'degrade'
        ? await degraded(gate, view, background)
        : step === 'redirect'
          ? await redirected(gate, view, background)
          : null
    if (response !== null) return { kind: step as Instead['kind'], response }
  }
  return null
}

async function degraded(
  gate: DetourRoute,
  view: RequestView,
  background: Background,
): Promise<Response | null> {
  const stored = (await gate.stored?.find(view, gate.runtime.now())) ?? null
  if (stored !== null) return stored
  const { origin = null, path = null } = gate.route.degrade?.lighter ?? {}
  if (origin === null || !isSafe(view)) return null
  return sendTo(`${origin}${lighterTarget(path, view)}`, gate, view, background)
}

async function redirected(
  gate: DetourRoute,
  view: RequestView,
  background: Background,
): Promise<Response | null> {
  const { redirect } = gate.route
  if (redirect === null) return null
  const location = `${redirect.to}${view.url.target}`
  if (redirect.forward) return isSafe(view) ? sendTo(location, gate, view, background) : null
  // Another visitor at another time may be admitted here.
  const headers = { Location: location, 'Cache-Control': 'no-store' }
  return new Response(null, { status: 307, headers })
}

/** A request that changes something must not be sent to a server that does not expect it. */
const isSafe = ({ request }: RequestView): boolean =>
  request.method === 'GET' || request.method === 'HEAD'

/** The other server is not the one that is measured, so nothing is counted. null: it gives no answer. */
async function sendTo(
  url: string,
  { origin, runtime }: DetourRoute,
  view: RequestView,
  background: Background,
): Promise<Response | null> {
  const { timeoutMs, dropped } = origin.pool!
  const { response } = await forward(
    view,
    null,
    {
      ...{ url, timeoutMs, dropped, background },
      send: (outgoing, signal) => fetch(outgoing, { signal }),
      now: runtime.now,
      uploaded: () => {},
    },
    null,
  )
  return response !== null && response.status < 500 ? response : null
}
