import type { Route } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load.ts'
import { CoordinatorCore } from '../../src/coordinator/coordinator-core.ts'
import { coordinatorSetup } from '../../src/gate/coordinator-setup.ts'
import { LEARNER_OPTIONS } from '../../src/learners/registry.ts'
import { OpenRequests } from '../../src/measure/in-flight-request.ts'
import { RouteCounters } from '../../src/measure/route-counters.ts'
import { FEEDBACK_VERSION, type Feedback } from '../../src/protocol/feedback.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import type { RequestView } from '../../src/request/request-view.ts'
import { splitUrl } from '../../src/request/url.ts'

export const START_MS = 1_800_000_000_000
export const ORIGIN = 'https://origin.example.com'

/** Routes to one origin with this number of classes each. Paths tell the classes apart. */
export function routesOf(routes: number, classes: number, learner = 'fixed'): readonly Route[] {
  const written = Array.from({ length: routes }, (_, r) => ({
    name: `route-${r}`,
    match: `/r${r}/*`,
    origin: ORIGIN,
    learner,
    classes: Array.from({ length: classes }, (_, c) => ({
      name: `class-${c}`,
      value: c + 1,
      guaranteed: 1,
      ...(c === classes - 1 ? {} : { match: { path: `/r${r}/c${c}/*` } }),
    })),
  }))
  return loadConfig({ routes: written }, { origin: 'required', learners: LEARNER_OPTIONS }).routes
}

/** A request as the gate sees it, without the `Request` of a runtime. */
export function subjectOf(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): RequestView {
  const url = `https://shop.example.com${path}`
  const get = (name: string): string | null => headers[name] ?? null
  const asked = { get } as Headers
  return {
    request: { url, method: 'GET', headers: asked } as Request,
    headers: asked,
    url: splitUrl(url),
    ip: null,
    cookies: get('Cookie'),
  }
}

/** The feedback of one sender for a second: this many requests of each class, around 100 ms, of every age. */
export function reportOf(
  routes: readonly Route[],
  { sender = 'sender', seq = 0, requests = 100 }: Reporting = {},
): Feedback {
  const fromMs = START_MS + seq * 1000
  const seen = routes.map((route): [string, RouteCounters] => [
    route.name,
    new RouteCounters(
      route.classes.map(({ name }) => name),
      1000,
    ),
  ])
  const open = new OpenRequests(30_000)
  let chance = 0.5
  for (const [, counters] of seen)
    for (const counted of counters.classes)
      for (let i = 0; i < requests; i++) {
        // Steps of the golden ratio fill [0, 1) evenly, and the figures are the same in every run.
        chance = (chance + 0.618_033_988_749_895) % 1
        counted.offered++
        counted.admitted++
        counters.sessionRequest(chance * 600_000)
        const request = open.begin(counted, fromMs)
        request.headersReceived(fromMs - 100 * Math.log(1 - chance), true)
        request.settle('served')
      }
  return {
    version: FEEDBACK_VERSION,
    origin: ORIGIN,
    sender,
    seq,
    fromMs,
    toMs: fromMs + 1000,
    ...(seq === 0 ? { setup: coordinatorSetup(routes, START_MS) } : {}),
    routes: Object.fromEntries(seen.map(([name, counters]) => [name, counters.drain()])),
  }
}

export interface Reporting {
  readonly sender?: string
  readonly seq?: number
  /** Per class. */
  readonly requests?: number
}

/** The plan that a coordinator makes of such reports. */
export function planOf(routes: readonly Route[]): Plan {
  const core = new CoordinatorCore()
  for (const seq of [0, 1, 2]) core.handle(reportOf(routes, { seq }), START_MS + (seq + 1) * 1000)
  return core.plan!
}
