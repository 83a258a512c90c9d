import { SLOT_S, type TicketCells } from '../../protocol/queue-plan.ts'

/**
 * How many tickets wait, by bucket of keys and by the slot in which each count ends. A refresh moves its ticket's count to a
 * later slot, and a ticket that is not seen again drops out by itself. The number of cells is bounded: buckets
 * become wider when the queue grows longer in time.
 */
export interface WaitingCounts {
  readonly widthS: number
  /** Bucket, slot, places, new tickets; ascending by bucket. */
  readonly cells: readonly number[]
}

export const NO_COUNTS: WaitingCounts = { widthS: 1, cells: [] }

/** Buckets that may be in use at the same time. */
const MOST_BUCKETS = 256
/** A refresh that comes at the last moment is known after this time. */
const REPORT_DELAY_S = 2
/** The count of a new ticket ends this much later, or more, if its first refresh is still to come. */
const YOUNG_S = 2
/** No count ends later than this: a report that says otherwise is wrong. */
const LONGEST_S = 120

/** The tickets of one bucket of keys. */
export interface Bucket {
  readonly fromS: number
  readonly toS: number
  /** Tickets that have come back at least once. */
  readonly places: number
  /** Tickets that have not come back yet. */
  readonly fresh: number
  /** Those of them that have not missed their first refresh. */
  readonly young: number
}

interface Expired {
  readonly fromS: number
  readonly places: number
  readonly fresh: number
}

interface CountsAfter {
  readonly counts: WaitingCounts
  /** Tickets that were not seen again, by bucket. */
  readonly expired: readonly Expired[]
}

/** The counts after a tick. */
export function countsAfter(
  before: WaitingCounts,
  places: TicketCells,
  fresh: TicketCells,
  nowS: number,
): CountsAfter {
  const buckets = new Map<number, Map<number, Cell>>()
  for (let i = 0; i < before.cells.length; i += 4) {
    const [bucket, slot, placed, unseen] = before.cells.slice(i, i + 4)
    const cell = cellAt(buckets, bucket!, slot!)
    cell.places += placed!
    cell.fresh += unseen!
  }
  for (const [name, count] of Object.entries(places))
    cellNamed(buckets, name, before.widthS, nowS, (cell) => {
      cell.places = Math.max(0, cell.places + count)
    })
  for (const [name, count] of Object.entries(fresh))
    cellNamed(buckets, name, before.widthS, nowS, (cell) => {
      cell.fresh = Math.max(0, cell.fresh + count)
    })
  const expired = expire(buckets, before.widthS, nowS)
  return { counts: bounded(buckets, before.widthS), expired }
}

/** By bucket, ascending. */
export function bucketsOf({ widthS, cells }: WaitingCounts, nowS: number): readonly Bucket[] {
  const buckets: { -readonly [Key in keyof Bucket]: Bucket[Key] }[] = []
  for (let i = 0; i < cells.length; i += 4) {
    const fromS = cells[i]! * widthS
    let last = buckets.at(-1)
    if (last?.fromS !== fromS) {
      last = { fromS, toS: fromS + widthS, places: 0, fresh: 0, young: 0 }
      buckets.push(last)
    }
    last.places += cells[i + 2]!
    last.fresh += cells[i + 3]!
    if (cells[i + 1]! * SLOT_S > nowS + YOUNG_S) last.young += cells[i + 3]!
  }
  return buckets
}

interface Cell {
  places: number
  fresh: number
}

function cellAt(buckets: Map<number, Map<number, Cell>>, bucket: number, slot: number): Cell {
  const slots = buckets.get(bucket) ?? new Map<number, Cell>()
  const cell = slots.get(slot) ?? { places: 0, fresh: 0 }
  buckets.set(bucket, slots)
  slots.set(slot, cell)
  return cell
}

function cellNamed(
  buckets: Map<number, Map<number, Cell>>,
  name: string,
  widthS: number,
  nowS: number,
  change: (cell: Cell) => void,
): void {
  const [fromS, slot] = name.split('.').map(Number)
  if (slot! * SLOT_S > nowS + LONGEST_S) return
  change(cellAt(buckets, Math.floor(fromS! / widthS), slot!))
}

function expire(
  buckets: Map<number, Map<number, Cell>>,
  widthS: number,
  nowS: number,
): readonly Expired[] {
  const expired: Expired[] = []
  for (const [bucket, slots] of buckets) {
    let places = 0
    let fresh = 0
    for (const [slot, cell] of slots) {
      if ((slot + 1) * SLOT_S + REPORT_DELAY_S > nowS) continue
      places += cell.places
      fresh += cell.fresh
      slots.delete(slot)
    }
    if (places + fresh > 0) expired.push({ fromS: bucket * widthS, places, fresh })
    if (slots.size === 0) buckets.delete(bucket)
  }
  return expired
}

/** Buckets of twice the width, as often as it takes. An empty queue starts with narrow buckets again. */
function bounded(buckets: Map<number, Map<number, Cell>>, widthS: number): WaitingCounts {
  if (buckets.size === 0) return NO_COUNTS
  if (buckets.size > MOST_BUCKETS) {
    const wider = new Map<number, Map<number, Cell>>()
    for (const [bucket, slots] of buckets)
      for (const [slot, { places, fresh }] of slots) {
        const cell = cellAt(wider, Math.floor(bucket / 2), slot)
        cell.places += places
        cell.fresh += fresh
      }
    return bounded(wider, widthS * 2)
  }
  const cells = [...buckets]
    .sort(([a], [b]) => a - b)
    .flatMap(([bucket, slots]) =>
      [...slots].flatMap(([slot, { places, fresh }]) =>
        places + fresh > 0 ? [bucket, slot, places, fresh] : [],
      ),
    )
  return cells.length === 0 ? NO_COUNTS : { widthS, cells }
}
