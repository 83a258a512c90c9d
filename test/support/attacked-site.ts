import { Coordinator } from '../../lab/edge/coordinator.ts'
import { runWithPromises, Timers } from '../../lab/edge/timers.ts'
import { Agenda } from '../../lab/engine/agenda.ts'
import { exponential } from '../../lab/engine/distributions.ts'
import { streams } from '../../lab/engine/random.ts'
import { Gate } from '../../src/gate/gate.ts'
import type { Visit } from '../../src/gate/visit.ts'
import { background } from './fakes.ts'
import { QueuedServers } from './queued-servers.ts'
import { routesOf } from './requests.ts'

/** The site of the security review: 4 servers of 50 ms, so 80 pages/s; target 1 s; sessions of 5 pages. */
const SERVERS = 4
const SERVICE_MS = 50
const TARGET_MS = 1000
const PAGES = 5
const THINK_MS = 1000
const CALM_S = 20
/** 300/s take 2 % of the servers' time. */
const LIGHT_MS = 0.25

export type SimulatedAttack =
  | 'none'
  | 'light' // 404 on random paths, over 30 sessions; they wait for a server as pages do
  | 'instant' // the same, answered after 1 ms without a server
  | 'leave' // clients that leave after 5 ms, over 10 sessions
  | 'cut' // clients whose body ends before its length, over 10 sessions
  | 'one-cookie' // pages with one session cookie, from everywhere

/** Sessions that the attacker gets in the calm. */
const SESSIONS = { none: 0, light: 30, instant: 30, leave: 10, cut: 10, 'one-cookie': 1 }

export interface AttackedRun {
  readonly attack: SimulatedAttack
  readonly perSecond: number
  readonly fromS: number
  readonly toS: number
  readonly seed: number
  /** The attacker's requests are in a class of higher value, which no page is in. */
  readonly inOwnClass?: boolean
  /** Length of a burst and time between their starts. @default one burst */
  readonly burst?: readonly [lengthS: number, everyS: number]
}

export interface AttackedSite {
  /** Pages in time per second, and the mean limit. */
  between(fromS: number, toS: number): { readonly inTime: number; readonly limit: number }
}

/** A whole gate and a coordinator in simulated time, in front of a queue for the servers. */
export async function attackedSite(run: AttackedRun): Promise<AttackedSite> {
  const random = streams(run.seed)
  const coins = random('coins')
  const arrivals = random('arrivals')
  const services = random('services')
  const thinks = random('thinks')
  const lengths = random('lengths')
  const agenda = new Agenda()
  const timers = new Timers(agenda)
  const coordinator = new Coordinator(timers)
  // Clocks count in whole milliseconds.
  const clock = () => Math.floor(timers.nowMs)
  let ids = 0
  const classes = [{ name: 'crafted', value: 100, match: { path: '/crafted/*' } }]
  const gate = new Gate(
    { routes: routesOf({ sla: { targetMs: TARGET_MS }, ...(run.inOwnClass ? { classes } : {}) }) },
    {
      secrets: { current: 'a secret of the tests, long enough to be one', previous: null },
      portFor: () => ({ report: async (feedback) => coordinator.report(feedback) }),
      cache: null,
      runtime: {
        now: clock,
        coin: () => coins.next(),
        id: () => `id-${ids++}`,
        sleep: (ms) => timers.sleep(ms),
      },
      sender: 'isolate',
      ipOf: () => null,
    },
  )
  const station = new QueuedServers(timers, SERVERS)
  const inTime: number[] = []
  const limits: number[] = []

  /** A new isolate may wait a moment for a plan. */
  const decide = async (path: string, cookie: string | null, then: (visit: Visit) => void) => {
    const headers: Record<string, string> = cookie === null ? {} : { Cookie: cookie }
    const { gate: route, view } = gate.enter(
      new Request(`https://shop.example.com${path}`, { headers }),
    )!
    route.reporter.touch(background, clock())
    const visit = await route.decide(view, clock())
    if (!visit.isRefused) then(visit)
  }
  const admit = (path: string, cookie: string | null, then: (visit: Visit) => void) =>
    decide(path, cookie, (visit) => {
      visit.begin(clock())
      then(visit)
    })
  const cookieOf = (visit: Visit, status: number, before: string | null): string | null => {
    const answer = visit.answered(new Response(null, { status }), clock())
    return answer.headers.get('Set-Cookie')?.split(';')[0] ?? before
  }
  const pageMs = () => exponential({ mean: SERVICE_MS }).draw(services)
  const ask = (left: number, cookie: string | null): void => {
    const sentMs = clock()
    void admit(`/page/${left}`, cookie, (visit) =>
      station.serve(pageMs(), () => {
        const next = cookieOf(visit, 200, cookie)
        const second = Math.floor(timers.nowMs / 1000)
        if (clock() - sentMs <= TARGET_MS) inTime[second] = (inTime[second] ?? 0) + 1
        if (left > 1)
          timers.after(exponential({ mean: THINK_MS }).draw(thinks), () => ask(left - 1, next))
      }),
    )
  }
  const arrive = (): void => {
    const perSecond = timers.nowMs < CALM_S * 1000 ? 8 : 30
    let pages = 1
    while (lengths.next() > 1 / PAGES) pages++
    ask(pages, null)
    timers.after(exponential({ mean: 1000 / perSecond }).draw(arrivals), arrive)
  }
  const stolen: (string | null)[] = []
  let strikes = 0
  const strike = (): void => {
    const [lengthS, everyS] = run.burst ?? [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    const sinceS = timers.nowMs / 1000 - run.fromS
    if (sinceS >= 0 && timers.nowMs < run.toS * 1000 && sinceS % everyS < lengthS) {
      const i = strikes++
      const cookie = stolen[i % stolen.length] ?? null
      const path = `${run.inOwnClass ? '/crafted' : ''}/x${i.toString(36)}y`
      // A request begins when its body is there.
      const enter = run.attack === 'cut' ? decide : admit
      void enter(path, cookie, (visit) => {
        if (run.attack === 'light') station.serve(LIGHT_MS, () => void cookieOf(visit, 404, null))
        else if (run.attack === 'instant') timers.after(1, () => void cookieOf(visit, 404, null))
        else if (run.attack === 'one-cookie')
          station.serve(pageMs(), () => void cookieOf(visit, 200, null))
        else if (run.attack === 'cut')
          timers.after(5, () => void visit.unanswered('client-gone', clock()))
        else timers.after(5, () => visit.settle('abandoned', clock()))
      })
    }
    timers.after(1000 / run.perSecond, strike)
  }
  const watch = (): void => {
    const limit = coordinator.plan?.routes.shop?.limit ?? null
    if (limit !== null) limits[Math.floor(timers.nowMs / 1000)] = limit
    timers.after(1000, watch)
  }

  timers.after(0, arrive)
  timers.after(500, watch)
  if (run.attack !== 'none') {
    for (let i = 0; i < SESSIONS[run.attack]; i++)
      timers.after(1000 + 100 * i, () => {
        void admit('/page/1', null, (visit) =>
          station.serve(1, () => void stolen.push(cookieOf(visit, 200, null))),
        )
      })
    timers.after(2000, strike)
  }
  await runWithPromises(agenda, run.toS * 1000)
  const mean = (values: readonly number[], fromS: number, toS: number): number => {
    let sum = 0
    for (let second = fromS; second < toS; second++) sum += values[second] ?? 0
    return sum / (toS - fromS)
  }
  return {
    between: (fromS, toS) => ({
      inTime: mean(inTime, fromS, toS),
      limit: mean(limits, fromS, toS),
    }),
  }
}
