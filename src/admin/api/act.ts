import type { Hono } from 'hono/tiny'
import type { Config, Route } from '../../config/config.ts'
import { originNameOf } from '../../config/config.ts'
import type { OperatorAction } from '../../coordinator/operator/action.ts'
import { coordinatorSetup } from '../../gate/coordinator-setup.ts'
import type { AdminEnv } from '../admin-env.ts'
import { problem } from '../problem.ts'
import { readBody } from '../read-input.ts'
import { answerOf, routeOr404 } from './ask.ts'
import { OPERATIONS } from './operations.ts'
import { ACTION_BODY } from './requests.ts'

const READ_ONLY = 'This token is read-only.'

/** The operations that change something. Each is in the audit log. */
export function addActions(app: Hono<AdminEnv>, config: Config): void {
  app.post(OPERATIONS.act.path, async (c) => {
    const { role, by, via } = c.get('identity')
    if (role !== 'write') return problem(403, READ_ONLY)
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const body = await readBody(c.req.raw, ACTION_BODY)
    if (body instanceof Response) return body
    const { note = null, ...rest } = body
    const { forS = null, ...action } = { forS: undefined, ...rest }
    const answer = await c.get('port').ask(originNameOf(route), {
      op: 'act',
      route: route.name,
      action: action as OperatorAction,
      forMs: forS === null ? null : forS * 1000,
      note,
      operator: { by, via },
      setup: setupFor(config, route),
    })
    return answerOf(answer, 201)
  })

  app.delete(OPERATIONS.undo.path, async (c) => {
    const { role, by, via } = c.get('identity')
    if (role !== 'write') return problem(403, READ_ONLY)
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const id = c.req.param('id') ?? ''
    const request = { op: 'undo', route: route.name, id, operator: { by, via } } as const
    return answerOf(await c.get('port').ask(originNameOf(route), request))
  })
}

/** What the coordinator learns of its origin if no report has come yet. */
export function setupFor({ routes }: Config, route: Route) {
  const origin = originNameOf(route)
  return coordinatorSetup(
    routes.filter((one) => originNameOf(one) === origin),
    0,
  )
}
