import type { Route } from '../../config/config.ts'
import { TwoGenerationCache } from '../../lib/two-generation-cache.ts'
import type { RouteCounters } from '../../measure/route-counters.ts'
import { ADMIT, QUEUE, REFUSE, type Verdict } from '../../protocol/verdict.ts'
import type { ClassState } from '../class-state.ts'
import type { OriginAdmission } from '../origin-admission.ts'
import { newTicket } from './new-ticket.ts'
import { hasPlace, type Ticket } from './ticket.ts'
import {
  enterWith,
  isTooEarly,
  toldAgain,
  type Waiting,
  waitAnew,
  waitOn,
  waitWithoutPlace,
} from './waiting.ts'

/** A visitor of a route with a waiting room. */
export interface QueueCandidate {
  readonly classIndex: number
  /** null: none, or it was not valid. */
  readonly ticket: Ticket | null
  /** An event opens at this time, and before it nobody enters; null: none. */
  readonly opensMs: number | null
  readonly client: number | null
  /** Absent: it needs no proof. */
  readonly proof?: Proof
  /** The place that the key of a pass holds; null or absent: none. */
  readonly place?: HeldPlace | null
}

/** What a ticket without a place has proved by a challenge, where one is needed. */
export interface Proof {
  /** May it have a place now? */
  readonly isEnough: boolean
  /** Could nobody verify it? */
  readonly isUnverified: boolean
}

/** A place that its visitor may take up on another device. */
export interface HeldPlace {
  /** The id of the ticket. If another device takes the place over, this id is revoked. */
  readonly id: string
  readonly sinceMs: number
}

/**
 * A ticket lets this many sessions in: a visitor may reload the page before its first answer has come. Shared by more, it
 * is worth nothing.
 */
const MOST_USES = 3
const MOST_REMEMBERED = 4096

/** The waiting room of one route in this isolate: decides on tickets by the plan's watermarks, and counts them. */
export class QueueAdmission {
  readonly #route: Route
  readonly #origin: OriginAdmission
  readonly #counters: RouteCounters
  /** By id, how many sessions a ticket has let in here. */
  readonly #uses = new TwoGenerationCache<string, number>(MOST_REMEMBERED)

  constructor(route: Route, origin: OriginAdmission, counters: RouteCounters) {
    this.#route = route
    this.#origin = origin
    this.#counters = counters
  }

  /** The verdict by ticket and watermark; null: nobody of the class waits, and the visitor is drawn. */
  decide(candidate: QueueCandidate, nowMs: number): Verdict | null {
    const { classIndex, ticket, opensMs } = candidate
    if (opensMs !== null && nowMs < opensMs) return QUEUE.event
    if (ticket !== null && (ticket.keyS - 1) * 1000 > nowMs) return QUEUE.event
    const { room } = this.#classAt(classIndex)
    if (ticket !== null && !hasPlace(ticket) && this.#hasTooManyPlaces(candidate, nowMs))
      return REFUSE.fairness
    if (!room.isOpen || !this.#origin.isFollowing) return null
    const { proof } = candidate
    if (proof && !proof.isEnough) return proof.isUnverified ? QUEUE.unverified : QUEUE.challenge
    if (ticket === null || this.#isUsedUp(ticket)) return room.isDirect ? null : QUEUE.waiting
    if (!room.isCalled(ticket.keyS)) {
      if (proof) return proof.isUnverified ? QUEUE.unverified : QUEUE.waiting
      return isTooEarly(ticket, nowMs) ? QUEUE.early : QUEUE.waiting
    }
    return this.#called(candidate, nowMs)
  }

  /** The visitor is let in, by the ticket or by a draw. */
  enter({ classIndex, ticket }: QueueCandidate, nowMs: number): void {
    if (ticket === null) return
    this.#uses.set(ticket.id, (this.#uses.get(ticket.id) ?? 0) + 1)
    const { room } = this.#classAt(classIndex)
    enterWith(ticket, room, this.#counters.classes[classIndex]!, nowMs)
  }

  /** The visitor waits. `id` is a random id for a new ticket. */
  wait(
    { classIndex, ticket, opensMs, client, place, proof }: QueueCandidate,
    verdict: Verdict,
    nowMs: number,
    random: { readonly id: () => string; readonly coin: () => number },
  ): Waiting {
    const { room } = this.#classAt(classIndex)
    const counters = this.#counters.classes[classIndex]!
    if (ticket !== null && verdict === QUEUE.early) return toldAgain(ticket, room, nowMs)
    if (ticket !== null && proof?.isEnough === false)
      return waitWithoutPlace(ticket, room, counters, nowMs, random.coin())
    if (ticket !== null && !this.#isUsedUp(ticket)) {
      if (!hasPlace(ticket)) this.#takePlace(classIndex, client, nowMs)
      return waitOn(ticket, room, counters, nowMs, random.coin)
    }
    const { name } = this.#route.classes[classIndex]!
    const rules = { order: this.#route.waitingRoom.order, opensMs, watermark: room.watermark }
    const id = place?.id ?? random.id()
    const fromMs = place?.sinceMs ?? nowMs
    const fresh = newTicket({ id, className: name }, rules, fromMs, random.coin())
    const given = { ...fresh, seenMs: nowMs, nextMs: nowMs }
    return waitAnew(given, room, counters, nowMs, random.coin())
  }

  #isUsedUp({ id }: Ticket): boolean {
    return (this.#uses.get(id) ?? 0) >= MOST_USES
  }

  /** A ticket whose turn has come. It keeps its turn if it cannot enter now. */
  #called({ classIndex, client }: QueueCandidate, nowMs: number): Verdict {
    if (this.#origin.isFull(this.#route, classIndex, nowMs)) return QUEUE.full
    const { fair, room } = this.#classAt(classIndex)
    if (client !== null && fair?.isOverQuota(client, nowMs)) return QUEUE.fairness
    if (!room.takeEntry(nowMs)) return QUEUE.share
    if (client !== null) fair?.admitted(client, nowMs)
    return ADMIT.ticket
  }

  /** A ticket has come back for the first time. */
  #takePlace(classIndex: number, client: number | null, nowMs: number): void {
    const { places } = this.#classAt(classIndex)
    if (places === null || client === null) return
    places.refused(client, nowMs)
    places.admitted(client, nowMs)
  }

  /** Has this client as many places as one client may have, while others wait? */
  #hasTooManyPlaces({ classIndex, client }: QueueCandidate, nowMs: number): boolean {
    const { places } = this.#classAt(classIndex)
    return client !== null && (places?.isOverQuota(client, nowMs) ?? false)
  }

  #classAt(classIndex: number): ClassState {
    return this.#origin.classAt(this.#route, classIndex)
  }
}
