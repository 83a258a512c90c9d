import { type Config, originNameOf } from '../config/config.ts'
import type { Runtime } from '../lib/runtime.ts'
import { Signer } from '../lib/signer.ts'
import type { CoordinatorPort } from '../protocol/coordinator-port.ts'
import type { RequestView } from '../request/request-view.ts'
import { RouteTable } from '../request/route-table.ts'
import { splitUrl, type UrlParts } from '../request/url.ts'
import { OriginState } from './origin-state.ts'
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
        return new RouteGate(route, state, reporter, signer, runtime)
      }),
    )
  }

  /** The gate of the request's route, and its view; null: no route matches. */
  enter(
    request: Request,
    url = splitUrl(request.url),
  ): { gate: RouteGate; view: RequestView } | null {
    const gate = this.#routes.first(url)
    return gate === null ? null : { gate, view: new Arrival(request, url, this.#ipOf) }
  }
}

/** The view of a request. Each read of a header is a call into the runtime, so values are read once. */
class Arrival implements RequestView {
  readonly request: Request
  readonly headers: Headers
  readonly url: UrlParts
  readonly cookies: string | null
  readonly #ipOf: GateOptions['ipOf']

  constructor(request: Request, url: UrlParts, ipOf: GateOptions['ipOf']) {
    this.request = request
    this.headers = request.headers
    this.url = url
    this.cookies = this.headers.get('Cookie')
    this.#ipOf = ipOf
  }

  get ip(): string | null {
    return this.#ipOf(this.request)
  }
}
