import { poisson } from '../clients/arrivals.ts'
import { Phases } from '../clients/phases.ts'
import type { RateProfile } from '../clients/rates.ts'
import { sessions } from '../clients/sessions.ts'
import type { QueueVisit } from '../edge/edge.ts'
import { runEdge } from '../edge/run-edge.ts'
import { type Distribution, deterministic, exponential } from '../engine/distributions.ts'
import type { Plant } from '../gate/plant.ts'
import type { Change } from '../origins/changes.ts'
import { station } from '../origins/station.ts'

/** A crowd before a waiting room. Where the limit is fixed, the room alone is measured. */
export interface WaitingCase {
  readonly name: string
  /** Sessions per second that may enter. */
  readonly limit: number
  /** The limit is learned instead, at an origin that can serve about `limit`, and that changes like this. */
  readonly learned?: readonly Change[]
  readonly arrivals: RateProfile
  /** The part of the arrivals that never comes back: bots without cookies. @default 0 */
  readonly bots?: number
  /** How long people wait before they leave. @default for ever */
  readonly patience?: Distribution
  readonly seconds: number
  /** The crowd comes at this second. @default 0 */
  readonly onsetS?: number
  /** From this second on use is measured: the crowd is known to the gate. @default 10 */
  readonly fromS?: number
  /** In each data centre. @default 20 */
  readonly isolates?: number
  /** Data centres. @default 4 */
  readonly colos?: number
}

export interface WaitingFigure {
  readonly name: string
  /** The most people that waited at the same time. */
  readonly mostWaiting: number
  /** Entries over the limit, while people wait. */
  readonly used: number
  /** The lowest and highest use in any ten seconds of this time. */
  readonly leastUsed: number
  readonly mostUsed: number
  /** The highest use in any two seconds of the first twenty of the crowd. */
  readonly onset: number
  /** Entries of people, not bots, of all entries. */
  readonly people: number
  /** Visitors kept out although a later one had entered two ticks before. */
  readonly overtaken: number
  /** Promises: entered before the range, within it, after it. */
  readonly promises: { readonly early: number; readonly kept: number; readonly late: number }
  /** Median width of these ranges. */
  readonly widthS: number
}

const PAGES = 5
const PAGE_MS = 100
const WINDOW_MS = 10_000
const TICKS_MS = 2000
const ONSET_S = 20
/** The queue is measured while it is this many seconds of the limit long. */
const LONG_S = 5

export async function waitingFigure(of: WaitingCase, seed: number): Promise<WaitingFigure> {
  const watch = new Watch()
  await runEdge({
    plant: plantOf(of),
    seed,
    seconds: of.seconds,
    learner: of.learned
      ? { name: 'soc-lqr', options: {} }
      : { name: 'fixed', options: { limit: of.limit } },
    whenFull: ['queue'],
    isolates: of.isolates ?? 20,
    colos: of.colos ?? 4,
    skew: 1,
    toRelay: { delay: exponential({ mean: 5 }) },
    toCoordinator: { delay: exponential({ mean: 40 }) },
    onVisit: (visit) => watch.visited(visit),
  })
  return watch.figure(of)
}

/** Follows every visitor of a run. */
class Watch {
  readonly #entries: { readonly atMs: number; readonly keyS: number | null }[] = []
  readonly #waiting = new Map<number, number>()
  readonly #promises = { early: 0, kept: 0, late: 0 }
  readonly #widths: number[] = []
  #highestKeys: { readonly atMs: number; readonly keyS: number }[] = []
  #overtaken = 0
  readonly #bySecond = new Map<number, number>()
  #people = 0

  visited({ visitor, told, ticket, nowMs }: QueueVisit): void {
    if (told === null) this.#entered(visitor, ticket, nowMs)
    else if (told.ticket.placedMs > 0) this.#waits(visitor, told.ticket, nowMs)
  }

  #entered(visitor: number, ticket: QueueVisit['ticket'], nowMs: number): void {
    this.#waiting.delete(visitor)
    this.#entries.push({ atMs: nowMs, keyS: ticket?.keyS ?? null })
    if (ticket === null) return
    this.#people++
    const highest = this.#highestKeys.at(-1)?.keyS ?? 0
    if (ticket.keyS > highest) this.#highestKeys.push({ atMs: nowMs, keyS: ticket.keyS })
    const { promisedFromMs, promisedToMs } = ticket
    if (promisedFromMs === 0) return
    const outcome = nowMs < promisedFromMs ? 'early' : nowMs <= promisedToMs ? 'kept' : 'late'
    this.#promises[outcome]++
    this.#widths.push(promisedToMs - promisedFromMs)
  }

  #waits(visitor: number, { keyS }: { readonly keyS: number }, nowMs: number): void {
    this.#waiting.set(visitor, nowMs)
    this.#count(nowMs)
    const before = this.#highestKeys.findLast(({ atMs }) => atMs <= nowMs - TICKS_MS)
    if (before !== undefined && before.keyS > keyS) this.#overtaken++
  }

  /** How many wait, once in each second. */
  #count(nowMs: number): void {
    const second = Math.floor(nowMs / 1000)
    if (this.#bySecond.has(second)) return
    let waiting = 0
    for (const seenMs of this.#waiting.values()) if (nowMs - seenMs < 40_000) waiting++
    this.#bySecond.set(second, waiting)
  }

  /** The highest use in any two seconds after the crowd came. */
  #onset({ limit, onsetS = 0 }: WaitingCase): number {
    const bySecond = Array<number>(ONSET_S).fill(0)
    for (const { atMs } of this.#entries) {
      const second = Math.floor(atMs / 1000) - onsetS
      if (second >= 0 && second < ONSET_S) bySecond[second]!++
    }
    const pairs = bySecond.slice(1).map((count, i) => count + bySecond[i]!)
    return Math.max(...pairs) / (2 * limit)
  }

  figure(of: WaitingCase): WaitingFigure {
    const { name, limit, fromS = 10 } = of
    const fromMs = fromS * 1000
    const windows: number[] = []
    const isQueue = (ms: number): boolean =>
      (this.#bySecond.get(Math.floor(ms / 1000)) ?? 0) >= limit * LONG_S
    for (let at = fromMs; isQueue(at) && isQueue(at + WINDOW_MS); at += WINDOW_MS) {
      const entered = this.#entries.filter(({ atMs }) => atMs >= at && atMs < at + WINDOW_MS)
      windows.push((entered.length * 1000) / WINDOW_MS / limit)
    }
    return {
      name,
      mostWaiting: Math.max(0, ...this.#bySecond.values()),
      used: windows.reduce((sum, one) => sum + one, 0) / windows.length,
      leastUsed: Math.min(...windows),
      mostUsed: Math.max(...windows),
      onset: this.#onset(of),
      people: this.#people / this.#entries.length,
      overtaken: this.#overtaken,
      promises: this.#promises,
      widthS: (this.#widths.toSorted((a, b) => a - b)[this.#widths.length >> 1] ?? 0) / 1000,
    }
  }
}

/** Sessions of one page at an origin that is never the bottleneck; or of five pages at one that serves `limit` of them. */
export function plantOf({ arrivals, bots = 0, patience, limit, learned }: WaitingCase): Plant {
  return {
    granularity: 'session',
    sla: { percentile: 95, targetMs: 1000, windowMs: 60_000 },
    origin: station({ servers: learned ? (limit * PAGES * PAGE_MS) / 1000 : 1000 }),
    ...(learned ? { changes: learned } : {}),
    clients: sessions({
      arrivals: poisson(arrivals),
      phases: new Phases({ page: { tier: 0, next: learned ? { page: 1 - 1 / PAGES } : {} } }),
      demands: [learned ? exponential({ mean: PAGE_MS }) : deterministic({ value: 10 })],
      think: deterministic({ value: 1000 }),
      retries: {
        asTold: 1 - bots,
        most: Number.POSITIVE_INFINITY,
        ...(patience ? { patience } : {}),
      },
    }),
  }
}
