import { poisson } from '../clients/arrivals.ts'
import { Phases } from '../clients/phases.ts'
import { steps } from '../clients/profiles.ts'
import { sessions } from '../clients/sessions.ts'
import { singleRequests } from '../clients/single-requests.ts'
import { exponential } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import type { TraceLine } from '../gate/run-plant.ts'
import { station } from '../origins/station.ts'
import { runEdge } from './run-edge.ts'

const ONSET_S = 30
/** From so long after the onset on it is counted. */
const SETTLED_S = 10
const SECONDS = ONSET_S + SETTLED_S + 120
const WINDOW_S = 5
/** Between two pages of a session. */
const THINK_MS = 2000
/** Within a window admitted may differ from told by this part, or by so many admissions. */
const TOLERANCE = 0.05
const LEAST_TOLERANCE = 2
/** Of a cap the level may differ by this part, or by so many requests. */
const LEVEL_TOLERANCE = 0.1

/** What the coordinator says: a rate of requests or of new sessions, or a cap on requests in flight. */
export interface Told {
  readonly name: string
  readonly options: Readonly<Record<string, number>>
  /** Pages of a session in the mean. @default it is a request route */
  readonly pages?: number
  /** Requests or sessions per second that the origin takes, and that come in calm and in the surge. */
  readonly capacity: number
  readonly calm: number
  readonly surge: number
}

export const ENFORCEMENT_CASES: readonly Told[] = [
  { name: '200/s of x10', options: { limit: 200 }, capacity: 250, calm: 100, surge: 2000 },
  { name: '20/s of x10', options: { limit: 20 }, capacity: 25, calm: 10, surge: 200 },
  { name: '2/s of x20', options: { limit: 2 }, capacity: 2.5, calm: 1, surge: 40 },
  {
    name: '10 sessions/s of x10',
    options: { limit: 10 },
    pages: 4,
    ...{ capacity: 12.5, calm: 5, surge: 100 },
  },
  { name: '12 in flight', options: { inFlight: 12 }, capacity: 200, calm: 100, surge: 1000 },
]
export const ISOLATES = [1, 12, 200, 1000]

export interface EnforcementFigure {
  readonly told: string
  readonly isolates: number
  /** Admitted over told, or mean in flight over the cap. */
  readonly ratio: number
  /** The same in the worst window of five seconds. */
  readonly worst: number
  /** Part of these windows within the tolerance. */
  readonly within: number
}

/** Messages that are lost, and that come two seconds late in the mean. */
export interface Faults {
  readonly lost: number
  readonly late: number
}

export const NO_FAULTS: Faults = { lost: 0, late: 0 }
/** As many as in the mean of the random worlds that have such faults. */
export const FAULTS: Faults = { lost: 0.05, late: 0.1 }
const LATE_MS = 2000

/** Isolates are born with the traffic, so many at its peak, in one to ten uneven colos. */
export async function enforcementFigure(
  told: Told,
  isolates: number,
  seed: number,
  { lost, late }: Faults = NO_FAULTS,
): Promise<EnforcementFigure> {
  const { options } = told
  const unit = told.pages === undefined ? 'requests' : 'sessions'
  const faults = { lost, late: { part: late, by: exponential({ mean: LATE_MS }) } }
  const { trace } = await runEdge({
    plant: plantOf(told),
    seed,
    seconds: SECONDS,
    learner: { name: 'fixed', options },
    isolates,
    requestsPerIsolate: requestsInSurge(told) / isolates,
    colos: Math.min(10, Math.ceil(isolates / 4)),
    skew: 1,
    idleMs: 30_000,
    toRelay: { delay: exponential({ mean: 5 }), ...faults },
    toCoordinator: { delay: exponential({ mean: 40 }), ...faults },
  })
  const counted = trace.filter(({ atMs }) => atMs > (ONSET_S + SETTLED_S) * 1000)
  const windows = Array.from({ length: Math.floor(counted.length / WINDOW_S) }, (_, i) =>
    counted.slice(i * WINDOW_S, (i + 1) * WINDOW_S),
  )
  const { inFlight, limit } = options
  const [ratioOf, isWithin] = inFlight === undefined ? ofLimit(limit!, unit) : ofCap(inFlight)
  const ratios = windows.map(ratioOf)
  return {
    told: told.name,
    isolates,
    ratio: mean(ratios),
    worst: ratios.reduce((a, b) => (Math.abs(Math.log(b)) > Math.abs(Math.log(a)) ? b : a)),
    within: mean(ratios.map((ratio) => Number(isWithin(ratio)))),
  }
}

type Judged = readonly [
  ratioOf: (window: readonly TraceLine[]) => number,
  isWithin: (ratio: number) => boolean,
]

function ofLimit(limit: number, unit: 'requests' | 'sessions'): Judged {
  const allowed = Math.max(TOLERANCE, LEAST_TOLERANCE / (limit * WINDOW_S))
  return [
    (window) => mean(window.map(({ sample }) => sample.admitted[unit])) / limit,
    (ratio) => Math.abs(ratio - 1) <= allowed + 1e-9,
  ]
}

function ofCap(cap: number): Judged {
  const allowed = Math.max(LEVEL_TOLERANCE, LEAST_TOLERANCE / cap)
  return [
    (window) => mean(window.map(({ sample }) => sample.inFlight)) / cap,
    (ratio) => Math.abs(ratio - 1) <= allowed + 1e-9,
  ]
}

/** What the isolates see: all that ask, and the later pages of the sessions that were let in. */
function requestsInSurge({ surge, pages = 1, options }: Told): number {
  return surge + (pages - 1) * (options.limit ?? 0)
}

function plantOf({ capacity, calm, surge, pages }: Told): Plant {
  const arrivals = poisson(steps({ 0: calm, [ONSET_S]: surge }))
  const demand = exponential({ mean: 8000 / (capacity * (pages ?? 1)) })
  return {
    granularity: pages === undefined ? 'request' : 'session',
    sla: { percentile: 95, targetMs: 1000, windowMs: 60_000 },
    origin: station({ servers: 8 }),
    clients:
      pages === undefined
        ? singleRequests({ arrivals, demand })
        : sessions({
            arrivals,
            phases: new Phases({ page: { tier: 0, next: { page: 1 - 1 / pages } } }),
            demands: [demand],
            think: exponential({ mean: THINK_MS }),
          }),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
