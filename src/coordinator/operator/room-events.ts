import type { QueueEvent } from '../../config/config.ts'
import type { CoordinatorCore } from '../coordinator-core.ts'
import type { ActionResult } from './actions.ts'
import type { RoomEventRequest } from './desk-messages.ts'

/** Each plan carries the events of an origin. */
const MOST_EVENTS = 50

/** The events of a route that operators made. */
export function roomEventsOf(core: CoordinatorCore, route: string): readonly QueueEvent[] {
  return core.state?.commanded.events?.[route] ?? []
}

/** Makes, changes or deletes an event. The coordinator stores it with its state, and the next plan has it. */
export function setRoomEvent(
  core: CoordinatorCore,
  id: string,
  { route, name, event, operator, setup }: RoomEventRequest,
  nowMs: number,
): ActionResult {
  core.introduce(setup)
  if (!core.state?.setup.routes.some((one) => one.name === route))
    return { status: 404, detail: `The coordinator knows no route "${route}" yet.` }
  const before = roomEventsOf(core, route)
  const known = before.find((one) => one.name === name)
  if (event === null && known === undefined)
    return { status: 404, detail: `Operators made no event "${name}" for this route.` }
  const others = before.filter((one) => one !== known)
  if (event !== null && others.length >= MOST_EVENTS)
    return { status: 409, detail: `There are ${MOST_EVENTS} events already. Delete some first.` }
  core.command({ events: { [route]: event === null ? others : [...others, event] } }, nowMs)
  const done = event === null ? 'deleted' : known === undefined ? 'made' : 'changed'
  const to = event === null ? null : eventText(event)
  return {
    ...{ id, route, kind: 'room-event', ...operator, untilMs: null },
    ...{ from: known === undefined ? null : eventText(known), to },
    text: `${operator.by} ${done} the event "${name}"${to === null ? '' : `: ${to}`}.`,
  }
}

/** `opens 2026-11-27T09:00:00.000Z, closes …` */
function eventText({ opensMs, closesMs, reopensMs }: QueueEvent): string {
  return Object.entries({ opens: opensMs, closes: closesMs, reopens: reopensMs })
    .flatMap(([word, ms]) => (ms === null ? [] : [`${word} ${new Date(ms).toISOString()}`]))
    .join(', ')
}
