import { type Config, originNameOf, type Route, type TurnstileRules } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import { Signer } from '../lib/signer.ts'
import type { ChallengePort } from '../protocol/challenge-port.ts'
import type { CoordinatorPort } from '../protocol/coordinator-port.ts'
import type { PassPort } from '../protocol/pass-port.ts'
import { takeParameter } from '../request/query-parameter.ts'
import type { RequestView } from '../request/request-view.ts'
import { RouteTable } from '../request/route-table.ts'
import { splitUrl, type UrlParts } from '../request/url.ts'
import { OriginState } from './origin-state.ts'
import { PASS_NAME, RoutePasses } from './passes.ts'
import type { PlanCache } from './plan-cache.ts'
import { Reporter } from './reporter.ts'
import { RouteGate } from './route-gate.ts'

interface GateOptions {
  readonly secrets: { readonly current: string; readonly previous: string | null }
  readonly portFor: (origin: string) => CoordinatorPort
  readonly cache: PlanCache | null
  readonly runtime: Runtime
  /** A name for this isolate that no other isolate has. */
  readonly sender: string
  /** The client's address from a source that clients cannot forge. */
  readonly ipOf: (request: Request) => string | null
  /** Where passes for one use, and keys, are claimed; null: nowhere, so that such passes do not help. */
  readonly passes?: PassPort | null
  /** Verifies the tokens of a route's challenge; null: no route has one. */
  readonly challengeOf?: ((rules: TurnstileRules) => ChallengePort) | null
  /** Where answers of the origin are stored; null: nowhere. */
  readonly answers?: (() => Cache) | null
}

/** All routes of a configuration, ready for requests. */
export class Gate {
  readonly #routes: RouteTable<RouteGate>
  readonly #ipOf: GateOptions['ipOf']

  constructor({ routes }: Pick<Config, 'routes'>, options: GateOptions) {
    const { runtime, sender, cache } = options
    const signer = new Signer(options.secrets)
    const origins = new Map<string, { state: OriginState; reporter: Reporter }>()
    for (const name of new Set(routes.map(originNameOf))) {
      const own = routes.filter((route) => originNameOf(route) === name)
      const state = new OriginState(own, runtime)
      const port = options.portFor(name)
      const reporter = new Reporter(own, state, { sender, port, cache, runtime })
      origins.set(name, { state, reporter })
    }
    this.#ipOf = options.ipOf
    this.#routes = new RouteTable(
      routes.map((route) => {
        const { state, reporter } = origins.get(originNameOf(route))!
        const passes = new RoutePasses(
          route,
          signer,
          runtime,
          state.commands,
          options.passes ?? null,
        )
        return new RouteGate(
          route,
          state,
          reporter,
          signer,
          runtime,
          passes,
          options.answers ?? null,
          challengePortOf(route, options),
        )
      }),
    )
  }

  /** The gate of the request's route, and its view; null: no route matches. */
  enter(
    request: Request,
    url = splitUrl(request.url),
  ): { gate: RouteGate; view: RequestView } | null {
    const gate = this.#routes.first(url)
    if (gate === null) return null
    const taken = url.query === '' ? null : takeParameter(request.url, PASS_NAME)
    const view =
      taken === null
        ? new Arrival(request, url, this.#ipOf)
        : new Arrival(request, splitUrl(taken.url), this.#ipOf, taken.value)
    if (gate.route.serverTiming) view.arrivedAtMs = gate.runtime.now()
    return { gate, view }
  }
}

function challengePortOf({ waitingRoom }: Route, options: GateOptions): ChallengePort | null {
  const { turnstile } = waitingRoom
  return turnstile === null ? null : (options.challengeOf?.(turnstile) ?? null)
}

/** The view of a request. Each read of a header is a call into the runtime, so values are read once. */
class Arrival implements RequestView {
  readonly request: Request
  readonly headers: Headers
  readonly url: UrlParts
  readonly cookies: string | null
  readonly pass: string | undefined
  arrivedAtMs?: number
  readonly #ipOf: GateOptions['ipOf']

  constructor(request: Request, url: UrlParts, ipOf: GateOptions['ipOf'], pass?: string) {
    this.request = request
    this.pass = pass
    this.headers = request.headers
    this.url = url
    this.cookies = this.headers.get('Cookie')
    this.#ipOf = ipOf
  }

  get ip(): string | null {
    return this.#ipOf(this.request)
  }
}
