import { Admission } from '../../src/admission/admission.ts'
import { Gate } from '../../src/gate/gate.ts'
import { RetryCookies } from '../../src/gate/retry-cookie.ts'
import { SessionCookies } from '../../src/gate/session-cookie.ts'
import type { Runtime } from '../../src/lib/runtime.ts'
import { Signer } from '../../src/lib/signer.ts'
import { ClassCounters } from '../../src/measure/counters.ts'
import { LentRequest } from '../../src/origin/shared-request.ts'
import type { Plan } from '../../src/protocol/plan.ts'
import { MatchRules } from '../../src/request/match-rules.ts'
import { splitUrl } from '../../src/request/url.ts'
import { BROWSER_HEADERS } from '../load/load.ts'
import { planOf, routesOf, START_MS, subjectOf } from './fixtures.ts'
import type { Task } from './task.ts'

const SECRETS = { current: 'a secret of the benchmark, long enough to be one', previous: null }

/** They take turns: the one that was asked for last is remembered, which would be measured instead. */
const PAGES = ['42', '43', '44', '45', '46', '47', '48', '49'] as const
const pageAt = <Item>(items: readonly Item[], turn: number): Item => items[turn % PAGES.length]!

/** What an isolate does for a request. */
export function edgeTasks(): readonly Task[] {
  const urls = PAGES.map((page) => `https://shop.example.com/products/${page}?from=front`)
  return [
    { name: 'split a URL', run: (turn) => splitUrl(pageAt(urls, turn)) },
    { name: 'split a URL, the one before', run: () => splitUrl(urls[0]!) },
    ...[1, 10, 100].map(classifying),
    deciding('decide, by the bucket', { share: 1 }),
    deciding('decide, by dithered draws', { share: 0.0001 }),
    judging(),
    ...cookieTasks(),
    tallying(),
    lending('lend a request, as the one before', 1),
    lending('lend a request, three headers differ', 2),
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
  const admission = new Admission(
    routes,
    START_MS,
    () => 0.5,
    () => 0,
  )
  admission.follow(crowded(planOf(routes)), share, START_MS)
  const [route] = routes
  return { name, run: (turn) => admission.draw(route!, turn & 3, START_MS + turn / 1000) }
}

/** Ten times as many arrivals as the limit. */
function crowded(plan: Plan): Plan {
  const route = plan.routes['route-0']!
  const classes = Object.fromEntries(
    Object.entries(route.classes).map(([name, given]) => [name, { ...given, probability: 0.1 }]),
  )
  return { ...plan, drawLimit: 100, offered: 1000, routes: { 'route-0': { ...route, classes } } }
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
  entered.gate.link.admission.follow(
    { ...crowded(planOf(routes)), drawLimit: 0, burst: 0 },
    1,
    START_MS,
  )
  for (let i = 0; i < 100; i++) entered.gate.judge(subjects[0]!, START_MS)
  return {
    name: 'judge, refused',
    run: (turn) => {
      const { gate: route, subject: seen } = gate.enter(pageAt(subjects, turn).request)!
      return route.judge(seen, START_MS)
    },
  }
}

/** More cookies than the cache holds take turns, so that each must be verified. */
const MANY = 20_000

function cookieTasks(): readonly Task[] {
  const rules = { cookie: 'tidegate-shop', idleMs: 1_800_000, longestMs: 28_800_000 }
  const signer = new Signer(SECRETS)
  const sessions = new SessionCookies('shop', rules, signer)
  const strangers = new SessionCookies('shop', rules, signer)
  const notes = new RetryCookies('shop', rules.cookie, signer)
  const many = Array.from({ length: MANY }, (_, i) => {
    const cookie = sessions.begin('default', START_MS - 100 * i, true)
    return `theme=dark; ${cookie.slice(0, cookie.indexOf(';'))}; lang=en`
  })
  const known = many.slice(0, 1000)
  return [
    { name: 'cookie, known', run: (turn) => sessions.read(known[turn % 1000]!, START_MS) },
    { name: 'cookie, new', run: (turn) => strangers.read(many[turn % MANY]!, START_MS) },
    {
      name: 'cookie, written',
      run: (turn) => sessions.begin('default', START_MS + 100 * (turn % 1024), true),
    },
    { name: 'cookie, shared', run: () => sessions.begin('default', START_MS, true) },
    { name: 'note, written', run: (turn) => notes.write(5 + (turn % 10), START_MS, true) },
  ]
}

function tallying(): Task {
  const tally = new ClassCounters(1000)
  return {
    name: 'tally a request',
    run: (turn) => {
      const ticket = tally.open(START_MS)
      ticket.headers(START_MS + (turn & 255), true)
      ticket.settle('served')
      return ticket
    },
  }
}

/** What is sent to the origin, of requests of so many kinds in turn, each with a browser's headers. */
function lending(name: string, kinds: number): Task {
  const lent = new LentRequest()
  const address = { authority: 'shop.example.com', isSecure: true }
  const headers = Array.from({ length: kinds }, (_, kind) => {
    const own = { 'User-Agent': `Browser ${kind}`, Cookie: `id=${kind}`, Referer: `/${kind}` }
    return new Headers({ ...BROWSER_HEADERS, ...own })
  })
  return { name, run: (turn) => lent.lend(headers[turn % kinds]!, address) }
}
