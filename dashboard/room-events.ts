import { type EventPhase, phaseAt } from '../src/admission/queue/event-phase.ts'
import type { QueueEvent } from '../src/config/config.ts'
import { timeLeft } from './format.ts'

/** An event of a waiting room, as the API has it. */
export interface RoomEvent extends QueueEvent {
  readonly source: 'config' | 'operator'
}

/** What an event makes of its route now, in words. Where events overlap, only one holds. */
export function phaseText(event: RoomEvent, all: readonly RoomEvent[], nowMs: number): string {
  const own = phaseAt([event], nowMs)
  if (own === null) return quietText(event, nowMs)
  const isInForce = isSame(own, phaseAt(all, nowMs))
  return isInForce ? textOf(own, nowMs) : `${textOf(own, nowMs)} (another event holds)`
}

const textOf = (phase: EventPhase, nowMs: number): string => {
  if (phase.kind === 'before') return `waiting page, opens ${timeLeft(phase.opensMs, nowMs)}`
  return phase.reopensMs === null ? 'closed' : `closed, opens ${timeLeft(phase.reopensMs, nowMs)}`
}

/** The event changes nothing at this time. */
function quietText({ opensMs, preQueueMs, closesMs }: RoomEvent, nowMs: number): string {
  if (opensMs !== null && nowMs < opensMs)
    return `planned, waiting page ${timeLeft(opensMs - preQueueMs, nowMs)}`
  if (closesMs !== null && nowMs < closesMs) return `open, closes ${timeLeft(closesMs, nowMs)}`
  return closesMs === null ? 'open' : 'over'
}

function isSame(one: EventPhase, other: EventPhase | null): boolean {
  if (one.kind === 'before') return other?.kind === 'before' && one.opensMs === other.opensMs
  return other?.kind === 'closed' && one.reopensMs === other.reopensMs
}
