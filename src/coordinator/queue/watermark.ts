import type { Bucket } from './waiting-counts.ts'

/**
 * Moves the watermark of a class. Tickets up to it are *called*: each of them enters with its next refresh, if its owner is
 * still there. So the number of tickets that are called and have not entered yet is kept at what enters until new calls
 * take effect. A sum of what was allowed and not used corrects the rest.
 */
export interface WatermarkState {
  /** Tickets with a key up to this are called. It never decreases. */
  readonly watermark: number
  /** Called, and neither entered nor dropped out. New tickets count by the part that usually comes back. */
  readonly called: number
  /** Entries that were allowed and not used; negative: that were too many. */
  readonly credit: number
}

export interface WatermarkTick {
  /** Before and after the reports of this tick, ascending. */
  readonly before: readonly WeightedBucket[]
  readonly after: readonly WeightedBucket[]
  /** By first second of a bucket: what dropped out. */
  readonly expired: ReadonlyMap<number, number>
  /** Entries per second that the class may have; null: any number. */
  readonly rate: number | null
  /** Admissions of the class in this tick, with and without tickets. */
  readonly entered: number
  /** The part of the called tickets that enters. */
  readonly shows: number
  readonly seconds: number
  readonly nowS: number
}

export interface WeightedBucket {
  readonly fromS: number
  readonly toS: number
  readonly tickets: number
}

/** From a call to its entry: half a refresh interval, the way of the plan, the way of the report. */
const LAG_S = 3
/** The most that unused or exceeded entries count, in seconds of the rate. */
const MOST_UNUSED_S = 6
const MOST_EXCESS_S = 2
/** Without a rate, calls grow with the entries of the last tick. */
const LEAST_CALLED = 10
/** Tickets younger than this may not be in any report yet. */
export const UNKNOWN_S = 2.5

export function weighted(buckets: readonly Bucket[], returns: number): readonly WeightedBucket[] {
  return buckets.map(({ fromS, toS, places, fresh }) => ({
    fromS,
    toS,
    tickets: places + returns * fresh,
  }))
}

export function watermarkAfter(state: WatermarkState, tick: WatermarkTick): WatermarkState {
  const { after, rate, entered, shows, seconds, nowS } = tick
  const credit = creditAfter(state.credit, rate, entered, seconds)
  const called = calledAfter(state, tick)
  const wanted =
    rate === null
      ? Math.max(LEAST_CALLED, (2 * LAG_S * entered) / seconds)
      : Math.max(0, rate * LAG_S + credit) / shows
  const limitS = nowS - UNKNOWN_S
  if (limitS <= state.watermark) return { ...state, credit, called }
  return { credit, ...call(after, state.watermark, called, wanted - called, limitS) }
}

function creditAfter(
  before: number,
  rate: number | null,
  entered: number,
  seconds: number,
): number {
  if (rate === null) return 0
  const credit = before + rate * seconds - entered
  return Math.min(MOST_UNUSED_S * rate, Math.max(-MOST_EXCESS_S * rate, credit))
}

/**
 * Tickets of buckets below the watermark are all called. In the bucket that it divides, the called ones are those that were
 * called before, without those that entered or dropped out since.
 */
function calledAfter(
  { watermark, called }: WatermarkState,
  { before, after, expired }: WatermarkTick,
): number {
  const divided = after.find(({ fromS, toS }) => fromS <= watermark && watermark < toS)
  const full = ticketsBelow(after, divided?.fromS ?? watermark)
  if (divided === undefined) return full
  const { fromS, toS, tickets } = divided
  const within = before.filter((one) => one.fromS >= fromS && one.toS <= toS)
  const hadTickets = within.reduce((sum, one) => sum + one.tickets, 0)
  const hadCalled = Math.max(0, called - ticketsBelow(before, fromS))
  let lost = 0
  for (const one of within) lost += expired.get(one.fromS) ?? 0
  const left = hadTickets > 0 ? hadCalled * (1 - Math.min(1, lost / hadTickets)) : 0
  const entered = Math.max(0, hadTickets - tickets - lost)
  return full + Math.min(tickets, Math.max(0, left - entered))
}

const ticketsBelow = (buckets: readonly WeightedBucket[], endS: number): number =>
  buckets.reduce((sum, { toS, tickets }) => (toS <= endS ? sum + tickets : sum), 0)

/** Calls so many more tickets, in the order of their keys. */
function call(
  buckets: readonly WeightedBucket[],
  watermark: number,
  called: number,
  more: number,
  limitS: number,
): Pick<WatermarkState, 'watermark' | 'called'> {
  if (!(more > 0)) return { watermark, called }
  let left = more
  let reached = called
  for (const { fromS, toS, tickets } of buckets) {
    if (toS <= watermark) continue
    if (fromS >= limitS) break
    const startS = Math.max(fromS, watermark)
    const endS = Math.min(toS, limitS)
    const isDivided = fromS <= watermark
    const waiting = isDivided
      ? Math.max(0, tickets - (called - ticketsBelow(buckets, fromS)))
      : tickets
    const here = (waiting * (endS - startS)) / (toS - startS)
    if (here > left)
      return { watermark: startS + ((endS - startS) * left) / here, called: reached + left }
    left -= here
    reached += here
  }
  return { watermark: limitS, called: reached }
}
