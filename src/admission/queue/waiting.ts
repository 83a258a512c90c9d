import type { ClassCounters } from '../../measure/counters.ts'
import { slotOf } from '../../protocol/queue-plan.ts'
import type { ClassRoom } from './class-room.ts'
import { refreshMs } from './refresh-interval.ts'
import { hasPlace, type Ticket } from './ticket.ts'
import type { WaitRange } from './wait-range.ts'

/** What a waiting visitor is told. */
export interface Waiting {
  readonly ticket: Ticket
  /** 1 for the visitor who enters next; null: not known before the ticket has come back once. */
  readonly place: number | null
  readonly range: WaitRange
  readonly refreshMs: number
}

/** A second missed refresh that comes this much later is still in time. */
const LATE_MS = 1000
/** A refresh may come this much before its time. */
const EARLY_MS = 1000

/** Does this refresh come so much before its time that it is not counted? */
export const isTooEarly = ({ nextMs }: Ticket, nowMs: number): boolean => nowMs < nextMs - EARLY_MS

/** A visitor who came before the time of the refresh is told the same again. */
export function toldAgain(ticket: Ticket, room: ClassRoom, nowMs: number): Waiting {
  const { place, range } = placeOf(ticket, room, nowMs)
  return {
    ...{ ticket, range, refreshMs: Math.max(0, ticket.nextMs - nowMs) },
    place: hasPlace(ticket) ? place : null,
  }
}

/** A new visitor gets a ticket, which has no place before it comes back. */
export function waitAnew(
  ticket: Ticket,
  room: ClassRoom,
  counters: ClassCounters,
  nowMs: number,
  coin: number,
): Waiting {
  const { range } = placeOf(ticket, room, nowMs)
  const restMs = refreshMs(0, true, coin)
  const given = { ...ticket, ...seenUntil(nowMs, restMs) }
  counters.ticketJoins(given, room.bucketS)
  return { ticket: given, place: null, range, refreshMs: restMs }
}

/** The visitor came back without having passed the challenge: the ticket stays a new one. */
export function waitWithoutPlace(
  ticket: Ticket,
  room: ClassRoom,
  counters: ClassCounters,
  nowMs: number,
  coin: number,
): Waiting {
  counters.ticketLeaves(ticket, room.bucketS)
  return waitAnew(ticket, room, counters, nowMs, coin)
}

/** The visitor waits on. The ticket is counted until two refreshes later. */
export function waitOn(
  ticket: Ticket,
  room: ClassRoom,
  counters: ClassCounters,
  nowMs: number,
  coin: () => number,
): Waiting {
  const { place, range } = placeOf(ticket, room, nowMs)
  const restMs = refreshMs((range.fromS + range.toS) / 2, false, coin())
  counters.ticketLeaves(ticket, room.bucketS)
  if (!hasPlace(ticket)) counters.returned++
  const placedMs = ticket.placedMs || nowMs
  const next: Ticket = {
    ...{ ...ticket, ...seenUntil(nowMs, restMs), placedMs, place },
    ...(room.isOpen && isChosen(nowMs - placedMs, restMs, coin()) ? promiseOf(range, nowMs) : {}),
  }
  counters.ticketJoins(next, room.bucketS)
  return { ticket: next, place, range, refreshMs: restMs }
}

/**
 * Each range is a promise, and the last one would be the easiest to keep. So the one that is compared with the outcome is the
 * one on the screen at a random moment of the wait: a new range replaces it with the part of the wait that it is shown.
 */
const isChosen = (waitedMs: number, shownMs: number, coin: number): boolean =>
  coin * (waitedMs + shownMs) <= shownMs

const promiseOf = (
  { fromS, toS }: WaitRange,
  nowMs: number,
): Pick<Ticket, 'promisedFromMs' | 'promisedToMs'> => ({
  promisedFromMs: nowMs + fromS * 1000,
  promisedToMs: nowMs + toS * 1000,
})

/** A ticket lets its visitor in: it is not counted any more, and its promise is compared with the outcome. */
export function enterWith(
  ticket: Ticket,
  room: ClassRoom,
  counters: ClassCounters,
  nowMs: number,
): void {
  counters.ticketLeaves(ticket, room.bucketS)
  if (!hasPlace(ticket)) counters.returned++
  if (ticket.promisedFromMs === 0) return
  if (nowMs < ticket.promisedFromMs) counters.promiseEarly++
  else if (nowMs <= ticket.promisedToMs) counters.promiseKept++
  else counters.promiseLate++
}

function seenUntil(nowMs: number, restMs: number): Pick<Ticket, 'seenMs' | 'nextMs' | 'slot'> {
  const slot = slotOf((nowMs + 2 * restMs + LATE_MS) / 1000)
  return { seenMs: nowMs, nextMs: nowMs + restMs, slot }
}

/** The place never grows. Before an event opens, nobody enters. */
function placeOf(
  { keyS, place }: Ticket,
  room: ClassRoom,
  nowMs: number,
): { readonly place: number; readonly range: WaitRange } {
  const ahead = room.aheadOf(keyS)
  const { fromS, toS } = room.waitOf(ahead)
  const closedS = Math.max(0, Math.ceil(keyS - nowMs / 1000))
  const now = Math.floor(ahead) + 1
  return {
    place: place === 0 ? now : Math.min(place, now),
    range: { fromS: fromS + closedS, toS: toS + closedS },
  }
}
