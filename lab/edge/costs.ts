import { type ArrivalsFactory, replay } from '../clients/arrivals.ts'
import { Phases } from '../clients/phases.ts'
import { sessions } from '../clients/sessions.ts'
import { singleRequests } from '../clients/single-requests.ts'
import { exponential, uniform } from '../engine/distributions.ts'
import { streams } from '../engine/random.ts'
import type { Plant } from '../gate/plant.ts'
import { station } from '../origins/station.ts'
import type { EdgeOptions } from './edge.ts'
import { runEdge } from './run-edge.ts'

/** A page takes 20 ms of one of eight servers, a search eight times as long. */
const SERVERS = 8
const PAGE_MS = 20
const SEARCH_COST = 8
/** Pages of a session, and the mean time between them. */
const PAGES = 4
const THINK_MS = 1000

/** Part of the visitors who search, from so many seconds on, and how much is asked, as a part of the capacity. */
const PERIODS = [
  { fromS: 0, searching: 0.2, load: 0.5 },
  { fromS: 60, searching: 0.2, load: 3 },
  { fromS: 180, searching: 0.8, load: 3 },
  { fromS: 300, searching: 0.2, load: 3 },
] as const
/** The mix changes here for the first time. From here on it is measured. */
const CHANGE_S = 180
/** Half a minute at half the capacity is enough to learn what classes cost. */
const LEARNED_S = 30
const END_S = 420

/** Where the costs differ: between paths of one class, or between classes. */
export interface CostsCase {
  readonly name: string
  readonly granularity: 'request' | 'session'
  readonly differ: 'paths' | 'classes'
  /** Where only paths differ, each isolate learns by itself, and needs a few hundred answers. */
  readonly isolates: readonly number[]
}

export const COSTS_CASES: readonly CostsCase[] = [
  { name: 'requests, paths differ', granularity: 'request', differ: 'paths', isolates: [1, 12] },
  {
    name: 'requests, classes differ',
    granularity: 'request',
    differ: 'classes',
    isolates: [1, 12, 100],
  },
  {
    name: 'sessions, classes differ',
    granularity: 'session',
    differ: 'classes',
    isolates: [1, 12, 100],
  },
]

export interface CostsFigure {
  readonly name: string
  readonly isolates: number
  readonly countsAlike: boolean
  /** What a search counts as after half a minute, where 1 is the mean page of the mix until then. */
  readonly searchCost: number
  /** Requests answered in time, as a part of what the servers can serve of the mix that comes. */
  readonly share: number
  readonly lateShare: number
  /** Windows of 60 s, and those that missed the target. */
  readonly windows: number
  readonly windowsMissed: number
}

/** The mix of pages and searches changes in an overload that lasts. `countsAlike`: every answer counts as one. */
export async function costsFigure(
  { name, granularity, differ }: CostsCase,
  { isolates, countsAlike, seed }: { isolates: number; countsAlike: boolean; seed: number },
): Promise<CostsFigure> {
  const plant = plantOf(granularity, differ, seed)
  let searchCost = 1
  const { inSlaValue, lateShare, windows, windowsMissed } = await runEdge({
    plant,
    seed,
    seconds: END_S,
    measureFromSeconds: CHANGE_S,
    learner: { name: 'soc-lqr', options: {} },
    countsAlike,
    onPlan: ({ routes }, nowMs) => {
      const [route] = Object.values(routes)
      if (nowMs <= 1000 * LEARNED_S) searchCost = route?.classes.searchers?.cost ?? 1
    },
    ...edgeOf(isolates),
    ...(differ === 'paths' && { pathOf: ({ demandMs }) => (isSearch(demandMs) ? '/search' : '/') }),
  })
  return {
    name,
    isolates,
    countsAlike,
    searchCost,
    share: inSlaValue / CAPACITY,
    lateShare,
    windows,
    windowsMissed,
  }
}

const edgeOf = (isolates: number): Pick<EdgeOptions, 'isolates' | 'toRelay' | 'toCoordinator'> => ({
  isolates,
  toRelay: { delay: exponential({ mean: 5 }) },
  toCoordinator: { delay: exponential({ mean: 40 }) },
})

/** Service varies by half up and down, so that the two do not mix. */
const service = uniform({ from: PAGE_MS / 2, to: 1.5 * PAGE_MS })
/** A search takes at least four times as long as a page in the mean. */
const isSearch = (demandMs: number): boolean => demandMs > 1.5 * PAGE_MS

/** Requests per second that the origin can serve with such a mix. */
const capacityWith = (searching: number): number =>
  (SERVERS * 1000) / (PAGE_MS * (1 - searching + searching * SEARCH_COST))

/** Requests that it can serve from the change to the end. */
const CAPACITY = PERIODS.filter(({ fromS }) => fromS >= CHANGE_S).reduce(
  (sum, { fromS, searching }) => sum + capacityWith(searching) * (endOf(fromS) - fromS),
  0,
)

function endOf(fromS: number): number {
  return PERIODS.find((period) => period.fromS > fromS)?.fromS ?? END_S
}

function plantOf(
  granularity: Plant['granularity'],
  differ: CostsCase['differ'],
  seed: number,
): Plant {
  const names = differ === 'classes' ? ['readers', 'searchers'] : ['all']
  const retries = { asTold: 0 }
  return {
    granularity,
    sla: { percentile: 95, targetMs: 1000, windowMs: 60_000 },
    origin: station({ servers: SERVERS }),
    classes: names.map((name) => ({ name, value: 1 })),
    clients:
      granularity === 'request'
        ? singleRequests({ arrivals: visits(seed, 1, names.length), demand: service, retries })
        : sessions({
            arrivals: visits(seed, PAGES, names.length),
            demands: [service],
            costs: [1, SEARCH_COST],
            phases: new Phases({ page: { tier: 0, next: { page: 1 - 1 / PAGES } } }),
            think: exponential({ mean: THINK_MS }),
            retries,
          }),
  }
}

/** A Poisson process, each visitor with a class and the service time of a single request. */
function visits(seed: number, requestsEach: number, classes: number): ArrivalsFactory {
  const random = streams(seed)('mixed visitors')
  const list: { atMs: number; class: number; demandMs: number }[] = []
  for (const { fromS, searching, load } of PERIODS) {
    const perMs = (capacityWith(searching) * load) / requestsEach / 1000
    let atMs = 1000 * fromS
    for (;;) {
      atMs -= Math.log(1 - random.next()) / perMs
      if (atMs >= 1000 * endOf(fromS)) break
      const isSearcher = random.next() < searching
      const demandMs = service.draw(random) * (isSearcher ? SEARCH_COST : 1)
      list.push({ atMs, class: isSearcher ? classes - 1 : 0, demandMs })
    }
  }
  return replay(list)
}
