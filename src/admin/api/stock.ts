import type { Hono } from 'hono/tiny'
import type { Config } from '../../config/config.ts'
import type { AdminEnv } from '../admin-env.ts'
import { problem } from '../problem.ts'
import { readBody } from '../read-input.ts'
import { routeOr404 } from './ask.ts'
import { changed } from './changed.ts'
import { coordinatorObject } from './coordinator-object.ts'
import { OPERATIONS } from './operations.ts'
import { STOCK_BODY } from './requests.ts'

/** What the origin says with `Tidegate-Stock`, an operator may say, too. */
export function addStock(app: Hono<AdminEnv>, config: Config): void {
  app.post(OPERATIONS.setStock.path, async (c) => {
    if (c.get('identity').role !== 'write') return problem(403, 'This token is read-only.')
    const route = routeOr404(config, c.req.param('route'))
    if (route instanceof Response) return route
    const body = await readBody(c.req.raw, STOCK_BODY)
    if (body instanceof Response) return body
    const coordinator = coordinatorObject(c.env, route)
    const { left } = body
    const what = left === 0 ? 'said that it is sold out' : `said that ${left} are left`
    const done = changed(c.get('identity'), route.name, 'stock', what, left)
    return (await coordinator.setStock(route.name, left, done))
      ? c.body(null, 204)
      : problem(409, 'The route has had no traffic yet. Try again after its first request.')
  })
}
