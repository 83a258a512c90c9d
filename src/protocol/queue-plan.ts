/**
 * The waiting room in the two messages. A ticket has a *key*, in seconds: its time of arrival, with a random part below
 * one second. The plan says up to which key tickets are let in. Reports say how many tickets wait, by key.
 */

/** The waiting room of a class in the plan. */
export interface QueuePlan {
  /** Tickets with a key up to this are let in. */
  readonly watermark: number
  /** Nobody waits beyond the watermark: a new visitor may be drawn. */
  readonly isDirect: boolean
  /** Entries per second that the class may have, over all isolates; null: any number. */
  readonly limit: number | null
  /** Reports count tickets in buckets of this many seconds. */
  readonly bucketS: number
  /** Key and number of places up to it, alternating, ascending. The first key is the watermark, with 0. */
  readonly ahead: readonly number[]
  /** Entries per second. */
  readonly rate: number
  /** The part of the waiting that leaves per second. */
  readonly leaving: number
  /** The ends of the range of an estimate, as parts of its middle. */
  readonly low: number
  readonly high: number
}

/**
 * Changes of the number of waiting tickets since the last report. A name is the first second of a bucket of keys and
 * the slot in which the count ends, if the ticket is not seen again: `1763432100.440858025`.
 */
export type TicketCells = Readonly<Record<string, number>>

/** Width of the slots in which counts end. */
export const SLOT_S = 4

export const slotOf = (atS: number): number => Math.floor(atS / SLOT_S)

export const cellName = (keyS: number, bucketS: number, slot: number): string =>
  `${Math.floor(keyS / bucketS) * bucketS}.${slot}`
