import type { Context } from 'hono'
import type { Hono } from 'hono/tiny'
import { type Config, originNameOf, type QueueEvent } from '../../config/config.ts'
import { isZone } from '../../config/event-time.ts'
import { eventOf, wrongTime } from '../../config/written-event.ts'
import type { AdminEnv } from '../admin-env.ts'
import { problem } from '../problem.ts'
import { readBody } from '../read-input.ts'
import { setupFor } from './act.ts'
import { answerOf, routeOr404 } from './ask.ts'
import { OPERATIONS } from './operations.ts'
import { ROOM_EVENT_BODY } from './requests.ts'

const READ_ONLY = 'This token is read-only.'
const NAME = /^[\w.-]{1,64}$/

/** The events of waiting rooms: those of the configuration, and those that operators make, change and delete. */
export function addRoomEvents(app: Hono<AdminEnv>, config: Config): void {
  app.get(OPERATIONS.roomEvents.path, async (c) => {
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const request = { op: 'room-events', route: route.name } as const
    const answer = await c.get('port').ask(originNameOf(route), request)
    if (!answer.ok) return answerOf(answer)
    const made = answer.value as readonly QueueEvent[]
    const isReplaced = ({ name }: QueueEvent): boolean => made.some((one) => one.name === name)
    const configured = route.waitingRoom.events.filter((one) => !isReplaced(one))
    return Response.json({
      events: [
        ...configured.map((one) => ({ ...one, source: 'config' })),
        ...made.map((one) => ({ ...one, source: 'operator' })),
      ],
    })
  })

  app.put(OPERATIONS.setRoomEvent.path, async (c) => {
    if (c.get('identity').role !== 'write') return problem(403, READ_ONLY)
    const body = await readBody(c.req.raw, ROOM_EVENT_BODY)
    if (body instanceof Response) return body
    const name = c.req.param('name') ?? ''
    if (!NAME.test(name))
      return problem(400, `name: expected 1 to 64 letters, digits, ".", "_", "-", found "${name}".`)
    if (body.zone !== undefined && !isZone(body.zone))
      return problem(400, `zone: expected a time zone such as Europe/Berlin, found "${body.zone}".`)
    const written = { name, ...body }
    const wrong = wrongTime(written)
    if (wrong !== null)
      return problem(400, `Event "${name}": expected ${wrong.expected}. ${wrong.remedy}`)
    return await change(c, config, name, eventOf(written))
  })

  app.delete(OPERATIONS.deleteRoomEvent.path, (c) =>
    change(c, config, c.req.param('name') ?? '', null),
  )
}

async function change(
  c: Context<AdminEnv>,
  config: Config,
  name: string,
  event: QueueEvent | null,
): Promise<Response> {
  const { role, by, via } = c.get('identity')
  if (role !== 'write') return problem(403, READ_ONLY)
  const route = routeOr404(config, c.req.param('route'))
  if (route instanceof Response) return route
  if (route.whenFull.at(-1) !== 'queue')
    return problem(409, `The route "${route.name}" has no waiting room: whenFull is not "queue".`)
  const answer = await c.get('port').ask(originNameOf(route), {
    ...{ op: 'set-room-event', route: route.name, name, event },
    ...{ operator: { by, via }, setup: setupFor(config, route) },
  })
  return answerOf(answer)
}
