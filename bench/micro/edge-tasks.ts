import { OriginAdmission } from '../../src/admission/origin-admission.ts'
import { Gate } from '../../src/gate/gate.ts'
import { RetryCookies } from '../../src/gate/retry-cookie.ts'
import { SessionCookies } from '../../src/gate/session-cookie.ts'
import type { Runtime } from '../../src/lib/runtime.ts'
import { Signer } from '../../src/lib/signer.ts'
import { ClassCounters } from '../../src/measure/counters.ts'
import { OpenRequests } from '../../src/measure/in-flight-request.ts'
import { headersToDrop, outgoingRequest } from '../../src/origin/forwarded-headers.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { MatchRules } from '../../src/request/match-rules.ts'
import { splitUrl } from '../../src/request/url.ts'
import { BROWSER_HEADERS } from '../load/load.ts'
import { planOf, routesOf, START_MS, subjectOf } from './fixtures.ts'
import type { Task } from './task.ts'

const SECRETS = { current: 'a secret of the benchmark, long enough to be one', previous: null }

const PAGES = ['42', '43', '44', '45', '46', '47', '48', '49'] as const
const pageAt = <Item>(items: readonly Item[], turn: number): Item => items[turn % PAGES.length]!

/** What an isolate does for a request. */
export function edgeTasks(): readonly Task[] {
  const urls = PAGES.map((page) => `https://shop.example.com/products/${page}?from=front`)
  return [
    { name: 'split a URL', run: (turn) => splitUrl(pageAt(urls, turn)) },
    ...[1, 10, 100].map(classifying),
    deciding('decide, by the bucket', { share: 1 }),
    deciding('decide, by dithered draws', { share: 0.0001 }),
    judging(),
    ...cookieTasks(),
    counting(),
    copying(),
  ]
}

function classifying(rules: number): Task {
  const [route] = routesOf(1, rules)
  const matches = new MatchRules(route!.classes.map(({ match }) => match))
  const subjects = PAGES.map((page) => subjectOf(`/r0/c${Math.max(0, rules - 2)}/products/${page}`))
  return {
    name: `classify, ${rules} ${rules === 1 ? 'rule' : 'rules'}`,
    run: (turn) => matches.first(pageAt(subjects, turn)),
  }
}

/** Four classes take turns. The limit is a tenth of the arrivals. */
function deciding(name: string, { share }: { share: number }): Task {
  const routes = routesOf(1, 4)
  const admission = new OriginAdmission(
    routes,
    START_MS,
    () => 0.5,
    () => 0,
  )
  admission.follow(crowded(planOf(routes)), { share }, START_MS)
  const [route] = routes
  return { name, run: (turn) => admission.draw(route!, turn & 3, START_MS + turn / 1000) }
}

/** Ten times as many arrivals as the limit. */
function crowded(plan: Plan): Plan {
  const route = plan.routes['route-0']!
  const classes = Object.fromEntries(
    Object.entries(route.classes).map(([name, given]) => [name, { ...given, probability: 0.1 }]),
  )
  return { ...plan, drawLimit: 100, routes: { 'route-0': { ...route, classes } } }
}

/** So many clients that none of them exceeds its quota. */
const ADDRESSES = Array.from({ length: 1000 }, (_, i) => `203.0.${i >> 8}.${i & 255}`)

/** A new visitor is refused: everything except the response. */
export function judging(): Task {
  const routes = routesOf(1, 4)
  let turn = 0
  const runtime: Runtime = {
    now: () => START_MS,
    coin: () => 0.5,
    id: () => 'sixteen-letters-',
    sleep: () => new Promise(() => {}),
  }
  const gate = new Gate(
    { routes },
    {
      secrets: SECRETS,
      portFor: () => ({ report: () => new Promise(() => {}) }),
      cache: null,
      runtime,
      sender: 'bench',
      ipOf: () => ADDRESSES[turn++ % ADDRESSES.length]!,
    },
  )
  const subjects = PAGES.map((page) =>
    subjectOf(`/r0/c2/products/${page}`, { Accept: 'text/html' }),
  )
  const entered = gate.enter(subjects[0]!.request)!
  entered.gate.origin.admission.follow(
    { ...crowded(planOf(routes)), drawLimit: 0, burst: 0 },
    { share: 1 },
    START_MS,
  )
  for (let i = 0; i < 100; i++) entered.gate.decide(subjects[0]!, START_MS)
  return {
    name: 'verdict, refused',
    run: (turn) => {
      const { gate: route, view } = gate.enter(pageAt(subjects, turn).request)!
      return route.decide(view, START_MS)
    },
  }
}

/** More cookies than the cache holds take turns, so that each must be verified. */
const MANY = 20_000

function cookieTasks(): readonly Task[] {
  const [route] = routesOf(1, 1)
  const signer = new Signer(SECRETS)
  let ids = 0
  const runtime: Runtime = {
    now: () => START_MS,
    coin: () => 0.5,
    id: () => `id-${String(ids++).padStart(13, '0')}`,
    sleep: () => new Promise(() => {}),
  }
  const sessions = new SessionCookies(route!, signer, runtime)
  const others = new SessionCookies(route!, signer, runtime)
  const retries = new RetryCookies(route!, signer)
  const many = Array.from({ length: MANY }, () => {
    const cookie = sessions.begin('default', START_MS, true)
    return `theme=dark; ${cookie.slice(0, cookie.indexOf(';'))}; lang=en`
  })
  const known = many.slice(0, 1000)
  return [
    { name: 'cookie, known', run: (turn) => sessions.read(known[turn % 1000]!, START_MS, true) },
    { name: 'cookie, new', run: (turn) => others.read(many[turn % MANY]!, START_MS, true) },
    { name: 'cookie, written', run: () => sessions.begin('default', START_MS, true) },
    {
      name: 'retry cookie, written',
      run: (turn) => retries.write(5 + (turn % 10), START_MS, true),
    },
  ]
}

function counting(): Task {
  const counters = new ClassCounters(1000)
  const open = new OpenRequests(30_000)
  return {
    name: 'count a request',
    run: (turn) => {
      const request = open.begin(counters, START_MS)
      request.headersReceived(START_MS + (turn & 255), true)
      request.settle('served')
      return request
    },
  }
}

/** The request that is sent to the origin, with a browser's headers. */
function copying(): Task {
  const headers = new Headers({ ...BROWSER_HEADERS, Cookie: 'id=1' })
  const request = new Request('https://shop.example.com/products/42', { headers })
  const view = {
    request,
    headers: request.headers,
    url: splitUrl(request.url),
    ip: '203.0.113.9',
    cookies: 'id=1',
  }
  const dropped = headersToDrop({ keepHeaders: [] })
  return {
    name: 'copy a request for the origin',
    run: () => outgoingRequest(view, 'http://127.0.0.1:8788/products/42', null, dropped),
  }
}
