import fc from 'fast-check'
import { HISTOGRAM_BUCKETS, type Histogram } from '../../src/lib/histogram.ts'
import { AGE_BUCKETS } from '../../src/lib/session-age-buckets.ts'
import { COUNTER_NAMES, COUNTERS, type CounterName } from '../../src/protocol/counters.ts'
import {
  type ClassFeedback,
  FEEDBACK_VERSION,
  type Feedback,
  type PoolServer,
  type RouteFeedback,
  type RouteSetup,
  type Setup,
} from '../../src/protocol/feedback.ts'
import {
  NO_CLASS_FEEDBACK,
  type RoutesFeedback,
  type ServersFeedback,
} from '../../src/protocol/merge-reports.ts'

/** By route, then by class. What a test leaves out is 0. */
export type Counts = Readonly<Record<string, Readonly<Record<string, Partial<ClassFeedback>>>>>

export function routesFeedback(counts: Counts): RoutesFeedback {
  const routeOf = (classes: Counts[string]): RouteFeedback => ({
    classes: Object.fromEntries(
      Object.entries(classes).map(([name, given]) => [name, { ...NO_CLASS_FEEDBACK, ...given }]),
    ),
    ages: [],
  })
  return Object.fromEntries(Object.entries(counts).map(([name, given]) => [name, routeOf(given)]))
}

/** A report of `sender` that covers the second before `toMs`. */
export function feedbackOf(counts: Counts, given: Partial<Report> = {}): Feedback {
  const { sender = 'isolate 1', seq = 0, toMs = 1000, lengthMs = 1000, setup, servers } = given
  return {
    version: FEEDBACK_VERSION,
    origin: 'origin',
    sender,
    seq,
    fromMs: toMs - lengthMs,
    toMs,
    ...(setup ? { setup } : {}),
    routes: routesFeedback(counts),
    ...(servers ? { servers } : {}),
  }
}

interface Report {
  readonly sender: string
  readonly seq: number
  readonly toMs: number
  readonly lengthMs: number
  readonly setup: Setup
  readonly servers: ServersFeedback
}

export interface Given {
  readonly id?: string
  readonly sinceMs?: number
  readonly tickMs?: number
  readonly learner?: Setup['learner']
  readonly order?: 'value' | 'density'
  readonly servers?: readonly PoolServer[]
  /** By name. The default is a session route with one class. */
  readonly routes?: Readonly<Record<string, Partial<RouteSetup>>>
}

export const CLASS = { name: 'default', value: 1, guaranteed: 0, tier: 'default' }

export function setupOf(given: Given = {}): Setup {
  const routes = Object.entries(given.routes ?? { shop: {} })
  return {
    id: given.id ?? 'a setup',
    sinceMs: given.sinceMs ?? 0,
    origin: 'origin',
    tickMs: given.tickMs ?? 1000,
    learner: given.learner ?? { name: 'fixed', options: { limit: 50 } },
    ...(given.order ? { order: given.order } : {}),
    ...(given.servers ? { servers: given.servers } : {}),
    routes: routes.map(([name, keys]) => ({
      name,
      granularity: 'session',
      mode: 'enforce',
      sla: { percentile: 95, targets: [{ fromRate: 0, targetMs: 1000 }], windowMs: 300_000 },
      classes: [CLASS],
      ...keys,
    })),
  }
}

const count = fc.nat({ max: 1_000_000 })
const sum = fc.nat({ max: 1e12 })

const counts = fc.dictionary(fc.constantFrom('share', 'batch', 'early'), count, {
  noNullPrototype: true,
})

const histogram = (buckets: number): fc.Arbitrary<Histogram> =>
  fc
    .uniqueArray(fc.tuple(fc.nat({ max: buckets - 1 }), fc.integer({ min: 1, max: 1000 })), {
      selector: ([bucket]) => bucket,
      maxLength: 4,
    })
    .map((cells) => cells.sort(([a], [b]) => a - b).flat())

const anyCounters = Object.fromEntries(
  COUNTER_NAMES.map((name) => [name, COUNTERS[name] === 'us' ? sum : count]),
) as { [Name in CounterName]: fc.Arbitrary<number> }

/** Absent where answers cost alike. */
const anyCost = fc
  .integer({ min: -9, max: 9 })
  .map((extraCost) => (extraCost === 0 ? {} : { extraCost }))

const classFeedback: fc.Arbitrary<ClassFeedback> = fc
  .tuple(
    fc.record({
      ...anyCounters,
      ...{ admits: counts, refusals: counts },
      latency: histogram(HISTOGRAM_BUCKETS),
    }),
    anyCost,
  )
  .map(([feedback, cost]) => ({ ...feedback, ...cost }))

const named = <Value>(value: fc.Arbitrary<Value>) =>
  fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { noNullPrototype: true })

/** Any feedback of routes. */
export const anyRoutes: fc.Arbitrary<RoutesFeedback> = named(
  fc.record({ classes: named(classFeedback), ages: histogram(AGE_BUCKETS) }),
)

/** Any feedback of a pool of three servers. */
export const anyServers: fc.Arbitrary<ServersFeedback> = fc.dictionary(
  fc.constantFrom('http://a', 'http://b', 'http://c'),
  fc
    .tuple(fc.nat({ max: 20 }), fc.nat({ max: 20 }))
    .map(([answers, failures]) => ({ tries: answers + failures, failures })),
  { noNullPrototype: true },
)
