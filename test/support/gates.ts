import { Gate } from '../../src/gate/gate.ts'
import type { RouteGate } from '../../src/gate/route-gate.ts'
import { Visit } from '../../src/gate/visit.ts'
import type { ClassCounters } from '../../src/measure/counters.ts'
import type { ChallengePort } from '../../src/protocol/challenge-port.ts'
import type { Verdict } from '../../src/protocol/verdict.ts'
import type { RequestView } from '../../src/request/request-view.ts'
import { background, FakePort, FakeRuntime, settle } from './fakes.ts'
import { type Asked, cookieOf, type Planned, planOf, routesOf, SECRET, viewOf } from './requests.ts'

/** A gate for one route, with this plan in force; null: without a plan. */
export async function gateOf(
  keys: object,
  plan: Planned | null,
  share = 1,
  challenge: ChallengePort | null = null,
) {
  const runtime = new FakeRuntime()
  const port = new FakePort()
  port.answer = async () => ({ plan: plan === null ? null : planOf(plan), share })
  const gate = new Gate(
    { routes: routesOf(keys) },
    {
      secrets: { current: SECRET, previous: null },
      portFor: () => port,
      cache: null,
      runtime,
      sender: 'isolate 1',
      ipOf: (request) => request.headers.get('X-Test-Ip'),
      challengeOf: challenge === null ? null : () => challenge,
    },
  )
  const { gate: route } = gate.enter(viewOf('/').request)!
  route.reporter.touch(background, runtime.now())
  await settle()
  const visit = (url: string, asked?: Asked): Visit =>
    decided(route, gate.enter(viewOf(url, asked).request)!.view, runtime.now())
  return { gate, route, runtime, port, visit, startMs: runtime.now() }
}

/** The visit of a request that does not wait for a batch. */
export function decided(route: RouteGate, view: RequestView, nowMs: number): Visit {
  const visit = route.decide(view, nowMs)
  if (!(visit instanceof Visit)) throw new Error('This request waits for its batch')
  return visit
}

/** The session cookie of an admitted visitor. */
export function sessionOf(visit: Visit, nowMs: number): string {
  return cookieOf(setCookieOf(visit, nowMs)!)
}

/** The `Set-Cookie` header that the gate adds to an answer; null: none. */
export function setCookieOf(visit: Visit, nowMs: number): string | null {
  return visit.withGateHeaders(new Response('body'), nowMs).headers.get('Set-Cookie')
}

/** The retry cookie of a refused visitor. */
export function retryCookieOf(visit: Visit, nowMs: number): string {
  return cookieOf(visit.refusal(nowMs).headers.get('Set-Cookie')!)
}

export interface Visitor {
  readonly ip: string
  /** Sends its retry cookie back, as a browser does. */
  readonly keepsCookies: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** One visitor with several requests. */
export class Caller {
  readonly #gate: Gate
  readonly #visitor: Visitor
  #cookie: string | null = null

  constructor(gate: Gate, visitor: Visitor) {
    this.#gate = gate
    this.#visitor = visitor
  }

  ask(nowMs: number, path = '/'): Verdict {
    return this.visit(nowMs, path).verdict
  }

  visit(nowMs: number, path = '/'): Visit {
    const { ip, keepsCookies, headers } = this.#visitor
    const cookie: Record<string, string> = this.#cookie === null ? {} : { Cookie: this.#cookie }
    const asked = { headers: { ...headers, ...cookie, 'X-Test-Ip': ip } }
    const { gate, view } = this.#gate.enter(viewOf(path, asked).request)!
    const visit = decided(gate, view, nowMs)
    if (keepsCookies && visit.isRefused && visit.verdict.reason !== 'early')
      this.#cookie = retryCookieOf(visit, nowMs)
    return visit
  }
}

export const countersOf = (route: RouteGate, index = 0): ClassCounters =>
  route.origin.countersOf(route.route.name).classes[index]!

/** Each address is in another range. */
export const addressOf = (i: number): string => `10.${(i >> 8) & 255}.${i & 255}.7`
