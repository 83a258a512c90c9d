import { Gate, type Judgement, type RouteGate } from '../../src/gate/gate.ts'
import { background, FakePort, FakeRuntime, settle } from './fakes.ts'
import { cookieOf, type Planned, planOf, routesOf, SECRET, subjectOf } from './requests.ts'

/** A gate for one route that has taken this plan into force; null: it still waits for the first. */
export async function gateOf(keys: object, plan: Planned | null, share = 1) {
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
    },
  )
  const { gate: route } = gate.enter(subjectOf('/').request)!
  route.link.touch(background, runtime.now())
  await settle()
  return { gate, route, runtime, port, startMs: runtime.now() }
}

export interface Visitor {
  readonly ip: string
  /** Keeps cookies as a browser does. */
  readonly keepsCookies: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** One visitor at the gate, request after request: it gives back the note that it was given. */
export class Caller {
  readonly #gate: Gate
  readonly #visitor: Visitor
  #note: string | null = null

  constructor(gate: Gate, visitor: Visitor) {
    this.#gate = gate
    this.#visitor = visitor
  }

  ask(nowMs: number, path = '/'): Judgement {
    const { ip, keepsCookies, headers } = this.#visitor
    const cookie: Record<string, string> = this.#note === null ? {} : { Cookie: this.#note }
    const asked = { headers: { ...headers, ...cookie, 'X-Test-Ip': ip } }
    const { gate, subject } = this.#gate.enter(subjectOf(path, asked).request)!
    const judgement = gate.judge(subject, nowMs)
    if (keepsCookies && judgement.note !== null) this.#note = cookieOf(judgement.note)
    return judgement
  }
}

export const tallyOf = (route: RouteGate, index = 0) =>
  route.link.tallies.get(route.route.name)!.classes[index]!

/** An address in a range that nobody else is in. */
export const addressOf = (i: number): string => `10.${(i >> 8) & 255}.${i & 255}.7`
